import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { listArtifacts, runnerArtifact } from "../../../lib/pages/files/list-artifacts.ts";
import { sha256 } from "../../../lib/text/sha256.ts";

let taskDir = "";

describe("the artifacts of a task", () => {
  beforeEach(() => {
    taskDir = mkdtempSync(join(tmpdir(), "task-phase-"));
  });

  afterEach(() => rmSync(taskDir, { recursive: true }));

  function put(path: string | Buffer, content = "x"): void {
    const full = Buffer.concat([Buffer.from(`${taskDir}/`), Buffer.from(path)]);
    mkdirSync(dirname(full.toString("latin1")), { recursive: true });
    writeFileSync(full, content);
  }

  test("files are listed by path with size, digest and who wrote them; what is rewritten at each verdict is not", () => {
    for (const path of ["b.txt", "a/deep file.txt", "passes/0001/pass.json"]) put(`artifacts/${path}`, path);
    const living = ["journal.jsonl", "checkpoint.json", "evidence.html", "status.md", ".tp-0123456789abcdef.tmp"];
    for (const name of living) put(`artifacts/${name}`);
    put("README.md");
    const row = (name: string, kind: string) => ({
      path: `artifacts/${name}`,
      href: `artifacts/${name.replace(" ", "%20")}`,
      size: name.length,
      sha256: sha256(name),
      kind,
    });
    const agents = [row("a/deep file.txt", "agent"), row("b.txt", "agent")];
    assert.deepEqual(listArtifacts(taskDir), [...agents, row("passes/0001/pass.json", "runner")]);
    assert.deepEqual(listArtifacts(taskDir, "agent"), agents);
  });

  test("links, FIFOs and a link in place of the folder are never followed", () => {
    mkdirSync(join(taskDir, "artifacts"));
    symlinkSync("/etc/passwd", join(taskDir, "artifacts/file-link"));
    symlinkSync("/etc", join(taskDir, "artifacts/folder-link"));
    execFileSync("mkfifo", [join(taskDir, "artifacts/fifo")]);
    assert.deepEqual(listArtifacts(taskDir), []);
    rmSync(join(taskDir, "artifacts"), { recursive: true });
    assert.deepEqual(listArtifacts(taskDir), []);
    symlinkSync("/etc", join(taskDir, "artifacts"));
    assert.deepEqual(listArtifacts(taskDir), []);
  });

  test("a name with hidden characters or broken bytes is spelled out, and its address leads to it", () => {
    put("artifacts/a\nb\t\u202e.txt");
    put(Buffer.concat([Buffer.from("artifacts/"), Buffer.from([0x66, 0xff, 0x1b])]));
    assert.deepEqual(
      listArtifacts(taskDir).map(({ path, href }) => ({ path, href })),
      [
        { path: "artifacts/a\\x0ab\\x09\\u{202e}.txt", href: "artifacts/a%0Ab%09%E2%80%AE.txt" },
        { path: "artifacts/f\\xff\\x1b", href: "artifacts/f%FF%1B" },
      ],
    );
  });

  test("a file that is larger than one piece is read whole", () => {
    const content = "0123456789abcdef".repeat(40_000);
    put("artifacts/big.txt", content);
    assert.deepEqual(
      listArtifacts(taskDir).map(({ size, sha256: digest }) => ({ size, digest })),
      [{ size: content.length, digest: sha256(content) }],
    );
  });

  test("a file is read again after every change, one of the same size with its times set back too", async () => {
    const setBack = () => utimesSync(join(taskDir, "artifacts/a.txt"), 1_700_000_000, 1_700_000_000);
    put("artifacts/a.txt", "one");
    setBack();
    await setTimeout(120);
    const digests = () => listArtifacts(taskDir, "agent").map(({ sha256: digest }) => digest);
    assert.deepEqual([digests(), digests()], [[sha256("one")], [sha256("one")]]);
    put("artifacts/a.txt", "two");
    setBack();
    assert.deepEqual(digests(), [sha256("two")]);
    put("artifacts/a.txt", "six");
    assert.deepEqual(digests(), [sha256("six")]);
  });

  test("a folder of a pass whose files are known is listed the same, and not read", () => {
    const files = { "pass.json": "{}", "validators/a b.log": "log", "kept/\u202e.txt": "x" };
    for (const [name, text] of Object.entries(files)) put(`artifacts/passes/0001/${name}`, text);
    for (const path of ["artifacts/passes/0002/pass.json", "artifacts/passes/note", "artifacts/mine"]) put(path);
    const read = listArtifacts(taskDir);
    const asked: string[] = [];
    const known = (folder: string) => {
      asked.push(folder);
      if (!folder.endsWith("0001")) return null;
      return new Map(Object.entries(files).map(([name, text]) => [name, { sha256: sha256(text), size: text.length }]));
    };
    rmSync(join(taskDir, "artifacts/passes/0001/pass.json"));
    assert.deepEqual(listArtifacts(taskDir, "all", known), read);
    assert.deepEqual(
      asked.sort(),
      ["0001", "0002"].map((name) => join(taskDir, "artifacts/passes", name)),
    );
    assert.equal(listArtifacts(taskDir, "agent", () => assert.fail()).length, 1);
  });

  test("the runner's own paths are distinguished from look-alikes", () => {
    for (const path of ["artifacts/passes", "artifacts/passes/0001/x", "artifacts/evidence.html"])
      assert.equal(runnerArtifact(path), true, path);
    for (const path of ["artifacts/passes.txt", "artifacts/x/evidence.html", "artifacts/.tp-x.tmp"])
      assert.equal(runnerArtifact(path), false, path);
  });
});
