import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import { listArtifacts, runnerArtifact } from "../../../lib/evidence/files/artifacts.ts";
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

  test("the runner's own paths are told apart from look-alikes", () => {
    for (const path of ["artifacts/passes", "artifacts/passes/0001/x", "artifacts/evidence.html"])
      assert.equal(runnerArtifact(path), true, path);
    for (const path of ["artifacts/passes.txt", "artifacts/x/evidence.html", "artifacts/.tp-x.tmp"])
      assert.equal(runnerArtifact(path), false, path);
  });
});
