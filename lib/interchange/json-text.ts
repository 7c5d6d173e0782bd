/** A JSON value and where it stands in its text; `end` is exclusive. */
export type JsonNode = (
  | { readonly kind: "object"; readonly members: readonly JsonMember[] }
  | { readonly kind: "array"; readonly items: readonly JsonNode[] }
  | { readonly kind: "text"; readonly value: string }
  | { readonly kind: "number"; readonly value: number }
  | { readonly kind: "boolean"; readonly value: boolean }
  | { readonly kind: "null" }
) & { readonly start: number; readonly end: number };

export interface JsonMember {
  readonly key: string;
  /** Of the key with its quotes. */
  readonly start: number;
  readonly end: number;
  readonly value: JsonNode;
}

/** Where the reading stopped, and why. */
export interface JsonProblem {
  readonly kind: "bad";
  readonly offset: number;
  readonly problem: string;
  readonly fix: string;
}

export type JsonRead = { readonly kind: "json"; readonly root: JsonNode } | JsonProblem;

/** Deeper nesting is no data that anybody wrote, and would end the stack. */
const maxDepth = 100;

const numberForm = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const escapeForm = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/**
 * Reads JSON and remembers places. `JSON.parse` tells none, and to write a parsed value back would change numbers,
 * escapes, the order of keys that look like numbers, and the layout. Takes what `JSON.parse` takes, but for a key that
 * stands twice in one object and nesting beyond a hundred levels.
 */
export function readJson(text: string): JsonRead {
  let at = 0;
  const problems: JsonProblem[] = [];

  function stop(offset: number, said: string, fix: string): null {
    problems.push({ kind: "bad", offset, problem: said, fix });
    return null;
  }

  function fail(expected: string, fix: string): null {
    const rest = text.slice(at, at + 20).split(/[\r\n]/)[0] ?? "";
    const found = at >= text.length ? "the end of the file" : rest === "" ? "the end of the line" : rest;
    return stop(at, `expected ${expected}, found ${found}`, fix);
  }

  function take(word: string): boolean {
    if (!text.startsWith(word, at)) return false;
    at += word.length;
    return true;
  }

  function takeForm(form: RegExp): string | null {
    form.lastIndex = at;
    const found = form.exec(text)?.[0] ?? null;
    at += found?.length ?? 0;
    return found;
  }

  function skipSpace(): void {
    while (" \t\n\r".includes(text[at] ?? "x")) at += 1;
  }

  function readValue(depth: number): JsonNode | null {
    skipSpace();
    const start = at;
    if (depth > maxDepth) return stop(at, `the values are nested deeper than ${maxDepth} levels`, "nest less");
    if (take("{")) return readObject(start, depth);
    if (take("[")) return readArray(start, depth);
    if (text[at] === '"') {
      const value = readText();
      return value === null ? null : { kind: "text", value, start, end: at };
    }
    if (take("true")) return { kind: "boolean", value: true, start, end: at };
    if (take("false")) return { kind: "boolean", value: false, start, end: at };
    if (take("null")) return { kind: "null", start, end: at };
    const digits = takeForm(numberForm);
    if (digits !== null) return { kind: "number", value: Number(digits), start, end: at };
    return fail("a value", "write text in double quotes, a number, true, false or null");
  }

  function readObject(start: number, depth: number): JsonNode | null {
    const members: JsonMember[] = [];
    const keys = new Set<string>();
    for (skipSpace(); !take("}"); skipSpace()) {
      if (members.length > 0 && !takeComma("}")) return null;
      const keyStart = at;
      if (text[at] !== '"') return fail("a key in double quotes", "write the key in double quotes");
      const key = readText();
      if (key === null) return null;
      if (keys.has(key)) return stop(keyStart, "the key stands twice in one object", "keep one of the two");
      keys.add(key);
      const end = at;
      skipSpace();
      if (!take(":")) return fail("a colon after the key", "put a colon between key and value");
      const value = readValue(depth + 1);
      if (value === null) return null;
      members.push({ key, start: keyStart, end, value });
    }
    return { kind: "object", members, start, end: at };
  }

  function readArray(start: number, depth: number): JsonNode | null {
    const items: JsonNode[] = [];
    for (skipSpace(); !take("]"); skipSpace()) {
      if (items.length > 0 && !takeComma("]")) return null;
      const value = readValue(depth + 1);
      if (value === null) return null;
      items.push(value);
    }
    return { kind: "array", items, start, end: at };
  }

  function takeComma(closing: string): boolean {
    if (!take(",")) fail(`a comma or ${closing}`, "put a comma between two entries, and close each bracket");
    skipSpace();
    if (text[at] === closing) fail("another entry after the comma", "remove the last comma");
    return problems.length === 0;
  }

  function readText(): string | null {
    const start = at;
    at += 1;
    for (let code = text.charCodeAt(at); code !== 0x22; code = text.charCodeAt(at)) {
      if (Number.isNaN(code)) return stop(start, "the quoted text is never closed", "end it with a double quote");
      if (code < 0x20) return fail("text without line breaks and control characters", "write \\n for a line break");
      if (code !== 0x5c) at += 1;
      else if (takeForm(escapeForm) === null) return fail("an escape that JSON knows", "write two backslashes for one");
    }
    at += 1;
    return JSON.parse(text.slice(start, at)) as string;
  }

  const root = readValue(0);
  skipSpace();
  if (root !== null && at < text.length) fail("the end of the file", "remove what follows the last bracket");
  const [first] = problems;
  return root === null || first !== undefined ? (first as JsonProblem) : { kind: "json", root };
}

/** The entry of that key; null where the node is no object or has no such key. */
export function memberOf(node: JsonNode, key: string): JsonMember | null {
  return (node.kind === "object" ? node.members.find((member) => member.key === key) : undefined) ?? null;
}
