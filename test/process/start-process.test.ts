import assert from "node:assert/strict";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createMark } from "../../lib/process/mark.ts";
import { startProcess } from "../../lib/process/start-process.ts";
import { write } from "../git/git-repo.ts";
import { makeFolder, plainEnv } from "./arrange.ts";

test("a command that cannot start is a fact, with what a person can mend", async (t) => {
  const folder = makeFolder(t);
  const programs = {
    windows: "#!/bin/sh\r\necho\r\n",
    missing: "#!/no/such/interpreter\n",
    plain: "#!/bin/sh\n",
  };
  write(folder, programs);
  for (const name of ["windows", "missing"]) chmodSync(join(folder, name), 0o755);
  const start = async (argv: readonly string[], changes: { cwd?: string; env?: { PATH: string } } = {}) => {
    const mark = createMark(folder);
    const request = { argv, cwd: folder, env: plainEnv, stdin: null, mark, together: false, ...changes };
    const started = await startProcess(request);
    return started.kind === "not_started" ? started.problem : assert.fail("it started");
  };
  const at = (name: string) => join(folder, name);
  assert.equal(await start([]), "the command is empty");
  assert.equal(await start(["", "x"]), "the command is empty");
  const nullByte = "contains a null byte, which no system passes on";
  assert.equal(await start(["sh", "a\0b"]), `the command sh ${nullByte}`);
  assert.equal(await start(["a\0b"]), `the command a\\x00b ${nullByte}`);
  assert.equal(await start(["no-such-program"]), "no-such-program was not found");
  assert.equal(await start(["sh"], { cwd: at("gone") }), `its working directory ${at("gone")} does not exist`);
  assert.equal(await start(["sh"], { cwd: at("plain") }), `its working directory ${at("plain")} does not exist`);
  assert.equal(
    await start([at("windows")]),
    `${at("windows")} cannot start: its first line ends as on Windows, with a carriage return`,
  );
  assert.equal(
    await start([at("missing")]),
    `${at("missing")} exists, but the interpreter that its first line names does not`,
  );
  const env = { PATH: `/nowhere:${folder}` };
  assert.match(
    await start(["missing"], { env }),
    /missing exists, but the interpreter/,
    "it is not said to be missing",
  );
  // As one that was built for another C library.
  const binary = readFileSync("/bin/sh", "latin1");
  const other = binary.replace(/\/lib[\w/]*\/ld-/, (path) => path.replace("ld-", "no-"));
  if (binary.startsWith("\x7fELF") && other !== binary) {
    writeFileSync(at("binary"), other, { encoding: "latin1", mode: 0o755 });
    const said = `${at("binary")} exists, but the loader that it was built for does not`;
    assert.equal(await start(["binary"], { env }), said);
  }
  assert.match(await start(["./plain"], { cwd: folder }), /plain may not be executed$/);
  assert.match(await start(["sh", "x".repeat(1 << 22)]), /^its arguments and environment are too long .*\(E2BIG\)$/);
});

test("a started process has its mark in its environment, and its end is known by itself", async (t) => {
  const folder = makeFolder(t);
  const mark = createMark(folder);
  const script = `printf %s "$1"; sleep 30 & exit 3`;
  const argv = ["sh", "-c", script, "sh", "a b"];
  const started = await startProcess({ argv, cwd: folder, env: plainEnv, stdin: null, mark, together: true });
  if (started.kind === "not_started") assert.fail(started.problem);
  t.after(() => process.kill(-started.head.pid, "SIGKILL"));
  assert.deepEqual(await started.exited, { exitCode: 3, signal: null });
  assert.equal(started.head.command, "sh");
  assert.equal(started.outputs[0], started.outputs[1]);
});
