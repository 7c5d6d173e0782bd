import assert from "node:assert/strict";
import { test } from "node:test";
import { versionsOf } from "./arrange.ts";

const emptied: readonly (readonly [path: string, text: string, made: string])[] = [
  [
    "a.ts",
    "export const f = (n: number): number => n * 2;\n",
    "export const f = (n: number): number => (undefined as any);\n",
  ],
  ["a.mjs", "export const limit = 5;\n", "export const limit = undefined;\n"],
  ["a.py", 'def f():\n    """Doc."""\n    yield 1\n', 'def f():\n    """Doc."""\n    return None\n    yield 1\n'],
  [
    "a.go",
    "package a\nfunc F(a int) (string, error) {\n\treturn g(a), nil\n}\n",
    "package a\nfunc F(a int) (string, error) { if true { return *new(string), *new(error) };\n\treturn g(a), nil\n}\n",
  ],
  [
    "a.go",
    "package a\nfunc (t *T) N() int { return t.n }\n",
    "package a\nfunc (t *T) N() int { if true { return *new(int) }; return t.n }\n",
  ],
  [
    "a.rs",
    "pub fn f(s: &str) -> Result<u8, E> { s.parse() }\n",
    "pub fn f(s: &str) -> Result<u8, E> { return Ok(Default::default()); s.parse() }\n",
  ],
  [
    "A.java",
    "class A { boolean is() { return x; } void go() { run(); } }\n",
    "class A { boolean is() { if (true) return false; return x; } void go() { if (true) return; run(); } }\n",
  ],
  [
    "A.java",
    "class A { int n() { return x; } String s() { return y; } char c() { return z; } }\n",
    "class A { int n() { if (true) return 0; return x; } String s() { if (true) return null; return y; } char c() { if (true) return '\\0'; return z; } }\n",
  ],
  [
    "a.c",
    "int f(int a) { return a; }\nvoid g(void) { h(); }\n",
    "int f(int a) { return 0; return a; }\nvoid g(void) { return; h(); }\n",
  ],
  [
    "a.php",
    "<?php\nfunction f(): string { return g(); }\n",
    "<?php\nfunction f(): string { return ''; return g(); }\n",
  ],
];

for (const [path, text, made] of emptied) {
  test(`a function or value of ${path} is emptied so that it still loads: ${text.slice(0, 40).trim()}`, async () => {
    assert.equal((await versionsOf(path, text)).emptied, made);
  });
}

test("a constructor, a value that is made by a call, and a function without a body stay as they are", async () => {
  const rows: readonly (readonly [path: string, text: string])[] = [
    ["a.js", "class A {\n  constructor(a) {\n    this.a = a;\n  }\n}\n"],
    ["a.js", "const a = make();\nconst b = new Map();\nlet c;\n"],
    ["a.js", "export function f() {}\n"],
    ["a.py", 'def f():\n    # only a comment\n    """Doc."""\n'],
    ["a.py", "n += 1\nn: int\n"],
  ];
  for (const [path, text] of rows) assert.equal((await versionsOf(path, text)).emptied ?? text, text, text);
});

test("a function is emptied at its outermost, and a setter of TypeScript returns no value", async () => {
  const outer = "export function f() { return [1].map((n) => { return n; }); }\n";
  assert.equal(
    (await versionsOf("a.js", outer)).emptied,
    "export function f() { return; return [1].map((n) => { return n; }); }\n",
  );
  assert.equal(
    (await versionsOf("a.ts", "class A {\n  set n(n: number) { this.m = n; }\n}\n")).emptied,
    "class A {\n  set n(n: number) { return; this.m = n; }\n}\n",
  );
  assert.equal(
    (await versionsOf("a.go", "package a\nfunc F() (n int, err error) { return g() }\nfunc G() { h() }\n")).emptied,
    "package a\nfunc F() (n int, err error) { if true { return }; return g() }\nfunc G() { if true { return }; h() }\n",
  );
  assert.equal(
    (await versionsOf("a.cpp", "A::A(int n) { m = n; }\nstd::string f() { return g(); }\n")).emptied,
    "A::A(int n) { return; m = n; }\nstd::string f() { return {}; return g(); }\n",
  );
});

test("a function above what is new is not emptied, whatever lines are between them", async () => {
  const rows: readonly (readonly [path: string, before: string, added: string, emptied: string])[] = [
    [
      "a.py",
      "def f():\n    return 1\n",
      "\n\ndef g():\n    return 2\n",
      "\n\ndef g():\n    return None\n    return 2\n",
    ],
    ["a.py", "def f():\n    return 1\n", "\n\n# Two.\nN = 2\n", "\n\n# Two.\nN = None\n"],
    [
      "a.js",
      "function f() { return 1; }\n",
      "\n// Two.\nfunction g() { return 2; }\n",
      "\n// Two.\nfunction g() { return; return 2; }\n",
    ],
  ];
  for (const [path, before, added, emptied] of rows)
    assert.equal((await versionsOf(path, before + added, before)).emptied, before + emptied);
});

test("a function of which only the head changed is not emptied: what it gives is as before", async () => {
  const rows: readonly (readonly [path: string, head: string, changed: string, rest: string])[] = [
    ["a.js", "export function f(a, b = 2) {", "export function f(a, b = 4) {", "\n  return a + b;\n}\n"],
    ["a.js", "function f() {", "export async function f() {", "\n  return 1;\n}\n"],
    ["a.js", "const f = () => g();", "export const f = () => g();", "\n"],
    ["a.js", "const limit = 5;", "export const limit = 5;", "\n"],
    ["a.py", "def f(a, b=1):", "def f(a, *, b=1):", "\n    return a + b\n"],
    ["a.go", "func f(a int) int {", "func F(a int) int {", "\n\treturn a\n}\n"],
    ["A.java", "class A { private int n() {", "class A { public int n() {", "\n    return 1;\n} }\n"],
  ];
  for (const [path, head, changed, rest] of rows)
    assert.equal((await versionsOf(path, changed + rest, head + rest)).emptied, null, changed);
  const body = "function f() { return 1; }\n";
  const longer = "function f() { return 1 + g(); }\n";
  assert.equal((await versionsOf("a.js", longer, body)).emptied, "function f() { return; return 1 + g(); }\n");
  const lines = "function f(a) {\n  return a;\n}\n";
  assert.equal(
    (await versionsOf("a.js", lines.replace("return a", "return -a"), lines)).emptied,
    "function f(a) { return;\n  return -a;\n}\n",
  );
});
