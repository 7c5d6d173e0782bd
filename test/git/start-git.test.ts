import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { startGit } from "../../lib/git/start-git.ts";
import { makeWorld } from "../cli/arrange.ts";
import { block } from "../process/arrange.ts";

test("output that git wrote before it exited is read, however late", async (t) => {
  const world = makeWorld(t);
  const program = world.write(
    "bin/git",
    "#!/bin/sh\nuntil test -e go; do sleep 0.01; done\necho listed\ntouch written\n",
  );
  chmodSync(program, 0o755);
  const env = { ...world.env, PATH: `${world.path("bin")}:${world.env.PATH}` };
  const end = startGit({ args: ["ls-files"], cwd: world.folder, env, timeoutMs: 30_000, maxBytes: 1000 });
  // Its exit is seen together with that of another child, in a turn that did not look at its output any more.
  const [other, third] = [spawn("echo", ["x"]), spawn("true")];
  third.once("exit", () => undefined);
  other.stdout.once("data", () => {
    writeFileSync(world.path("go"), "");
    for (let waited = 0; !existsSync(world.path("written")) && waited < 5000; waited += 10) block(10);
    block(100);
    setImmediate(() => block(600));
  });
  block(200);
  const { exitCode, stdout } = await end;
  assert.deepEqual([exitCode, stdout.toString()], [0, "listed\n"]);
});

test("a helper that holds the output after git exited does not hold the runner", async (t) => {
  const world = makeWorld(t);
  const program = world.write("bin/git", "#!/bin/sh\nsleep 3 &\necho listed\n");
  chmodSync(program, 0o755);
  const env = { ...world.env, PATH: `${world.path("bin")}:${world.env.PATH}` };
  const { exitCode, stdout } = await startGit({
    ...{ args: [], cwd: world.folder, env, timeoutMs: 30_000, maxBytes: 1000 },
  });
  assert.deepEqual([exitCode, stdout.toString()], [0, "listed\n"]);
});
