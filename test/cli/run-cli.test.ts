import assert from "node:assert/strict";
import { test } from "node:test";
import { runCli } from "../../lib/cli/run-cli.ts";
import { makeWorld } from "./arrange.ts";

const refusals: Readonly<Record<string, readonly [object, string]>> = {
  "a fault of the machine": [
    { code: "EIO", syscall: "rmdir", path: "/a" },
    "cannot rmdir /a: the disk reports an error (EIO) [TP_DISK]\n  fix: check the disk, then run it again",
  ],
  "a path that this user may not use": [
    { code: "EACCES", syscall: "lstat", path: "/a" },
    "cannot lstat /a: permission is denied (EACCES) [TP_DISK]\n  fix: give this user permission to use it, then run it again",
  ],
};

for (const [name, [refusal, said]] of Object.entries(refusals))
  test(`${name} is named as such, in every command`, async (t) => {
    const world = makeWorld(t);
    const error = Object.assign(new Error("it failed"), refusal);
    let stderr = "";
    const io = {
      stdout: { write: () => undefined },
      stderr: {
        write(text: string) {
          stderr += text;
        },
      },
      env: {},
      cwd: world.folder,
      now: () => {
        throw error;
      },
      sleep: async () => {},
    };
    assert.equal(await runCli("init", ["--task-dir", "T-1"], io), 1);
    assert.equal(stderr, `/a: error: ${said}\n`);
  });

test("an unforeseen error is one line and exit code 1; its stack is shown with --verbose only", async (t) => {
  const world = makeWorld(t);
  const call = async (...argv: string[]) => {
    const out = { code: -1, stdout: "", stderr: "" };
    const stream = (name: "stdout" | "stderr") => ({
      write(text: string) {
        out[name] += text;
      },
    });
    const now = () => {
      throw new Error("no\u001b clock");
    };
    const io = {
      stdout: stream("stdout"),
      stderr: stream("stderr"),
      env: {},
      cwd: world.folder,
      now,
      sleep: async () => {},
    };
    out.code = await runCli("init", ["--task-dir", "T-1", ...argv], io);
    return out;
  };
  assert.deepEqual(await call(), {
    code: 1,
    stdout: "",
    stderr:
      "error: unexpected failure: no\\x1b clock [TP_UNEXPECTED]\n  fix: run it again with --verbose to see where it happened\n",
  });
  const json = await call("--json", "--quiet");
  assert.deepEqual(JSON.parse(json.stdout).findings[0].code, "TP_UNEXPECTED");
  assert.match((await call("--verbose")).stderr, /^Error: no\\x1b clock\n {4}at /);
});
