import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import { findProof, plainLocation } from "../../../lib/pages/files/proof.ts";

let taskDir = "";

describe("proof of a task", () => {
  beforeEach(() => {
    taskDir = mkdtempSync(join(tmpdir(), "task-phase-"));
  });

  afterEach(() => rmSync(taskDir, { recursive: true }));

  function put(path: string, content = "x"): void {
    mkdirSync(dirname(join(taskDir, path)), { recursive: true });
    writeFileSync(join(taskDir, path), content);
  }

  test("a single file of proof is what the link points to", () => {
    put("artifacts/out/run.txt");
    const facts = {
      problem: null,
      files: ["artifacts/out/run.txt"],
      link_target: "artifacts/out/run.txt",
      link_target_exists: true,
    };
    assert.deepEqual(findProof(taskDir, "artifacts/"), { location: "artifacts", ...facts });
    assert.deepEqual(findProof(taskDir, "`artifacts/out/run.txt`"), { location: "artifacts/out/run.txt", ...facts });
    assert.deepEqual(findProof(taskDir, "artifacts/", []).files, [], "of the files that were listed");
  });

  test("several files are shown by the index page, which may be missing", () => {
    put("artifacts/a.txt");
    put("artifacts/b.txt");
    put("artifacts-2/c.txt");
    const facts = {
      location: "artifacts",
      problem: null,
      files: ["artifacts/a.txt", "artifacts/b.txt"],
      link_target: "EVIDENCE.md",
    };
    assert.deepEqual(findProof(taskDir, "artifacts"), { ...facts, link_target_exists: false });
    put("EVIDENCE.md");
    assert.deepEqual(findProof(taskDir, "artifacts"), { ...facts, link_target_exists: true });
  });

  test("a file whose name cannot be written in a link is shown by the index page", () => {
    put("artifacts/a\u202eb.txt");
    const { files, link_target } = findProof(taskDir, "artifacts");
    assert.deepEqual({ files, link_target }, { files: ["artifacts/a\\u{202e}b.txt"], link_target: "EVIDENCE.md" });
  });

  test("empty files, links and the runner's files prove nothing", () => {
    put("artifacts/empty.txt", "");
    put("artifacts/passes/0001/stdout.log");
    put("artifacts/evidence.html");
    symlinkSync("/etc/passwd", join(taskDir, "artifacts/link"));
    assert.deepEqual(findProof(taskDir, "artifacts/"), {
      location: "artifacts",
      problem: "artifacts has no non-empty regular file that the agent wrote, outside artifacts/passes/",
      files: [],
      link_target: null,
      link_target_exists: false,
    });
  });

  test("a location outside artifacts/ is named as the problem", () => {
    put("proof.txt");
    put("artifacts/x.txt");
    const problem = (location: string) => findProof(taskDir, location).problem;
    assert.match(problem("") ?? "", /is empty/);
    assert.match(problem("proof.txt") ?? "", /not under artifacts/);
    for (const path of ["/etc/passwd", "artifacts/../proof.txt", "artifacts//x.txt", ".."])
      assert.match(problem(path) ?? "", /not a plain path/, path);
    assert.match(problem("artifacts/passes/0001") ?? "", /written by the runner/);
    assert.match(problem("artifacts/evidence.html") ?? "", /written by the runner/);
  });

  test("a location is read without its Markdown", () => {
    const forms = [
      "artifacts/a b",
      "`artifacts/a b`",
      "<artifacts/a b/>",
      "./artifacts/a b/",
      "[proof](artifacts/a%20b)",
      "[proof](<artifacts/a b>)",
    ];
    assert.deepEqual(
      forms.map(plainLocation),
      forms.map(() => "artifacts/a b"),
    );
    assert.equal(plainLocation("[x](artifacts/%zz)"), "artifacts/%zz");
  });

  const natural: readonly string[] = [
    "artifacts/ (see test.txt)",
    "artifacts/ - test.txt has the output",
    "see artifacts/test.txt",
    "See `artifacts/test.txt` for the output.",
    "`artifacts/test.txt` and `artifacts/out.png`",
    "artifacts/test.txt, artifacts/out.png",
    "artifacts/test.txt; artifacts/out.png",
    "[test output](artifacts/test.txt)",
    "[test output](artifacts/test.txt) and [a picture](./artifacts/out.png)",
    "**artifacts/test.txt**",
    "artifacts/test.txt (12 tests)",
    "- artifacts/test.txt\n- artifacts/out.png",
    "the artifacts folder",
    "(artifacts/test.txt)",
    "test.txt in artifacts/",
    "<!-- the log --> artifacts/test.txt",
  ];

  for (const location of natural)
    test(`a location is found among other words: ${JSON.stringify(location)}`, () => {
      put("artifacts/test.txt");
      put("artifacts/out.png");
      const { problem, files } = findProof(taskDir, location);
      assert.equal(problem, null);
      assert.ok(
        files.length >= 1 && files.every((path) => /^artifacts\/(test\.txt|out\.png)$/.test(path)),
        files.join(),
      );
    });

  test("a path through the task's own folder counts from there", () => {
    put("artifacts/test.txt");
    for (const path of [`tasks/${basename(taskDir)}/artifacts/test.txt`, `${taskDir}/artifacts/test.txt`])
      assert.deepEqual(findProof(taskDir, path).files, ["artifacts/test.txt"], path);
  });

  test("every path that a location names must hold proof, and words alone name none", () => {
    put("artifacts/test.txt");
    const problem = (location: string) => findProof(taskDir, location).problem ?? "";
    assert.match(problem("artifacts/test.txt and artifacts/gone.txt"), /^artifacts\/gone\.txt has no/);
    assert.match(problem("artifacts/test.txt and artifacts/passes/0001"), /written by the runner/);
    assert.match(problem("see artifacts/../test.txt"), /not a plain path/);
    for (const location of ["see test.txt", "https://x.y/artifacts/test.txt", "my-artifacts/test.txt", "none", "n/a"])
      assert.notEqual(problem(location), "", location);
  });
});
