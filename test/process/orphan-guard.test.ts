import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { patienceMs } from "../patience.ts";
import { withFolder } from "../store/temporary-folder.ts";

const module = fileURLToPath(new URL("../../lib/process/orphan-guard.js", import.meta.url));

/** A process that sets a guard, which touches a file, and then does what the words say. */
function startGuarded(folder: string, then: string) {
  const touch = JSON.stringify(["/bin/sh", "-c", `touch '${join(folder, "ended")}'`]);
  const script = `const { guardOrphans } = await import(${JSON.stringify(module)});
    const guard = guardOrphans(${touch}, { PATH: process.env.PATH });
    ${then}`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise<void>((resolve) => void child.once("exit", () => resolve()));
  const ready = new Promise<void>((resolve) => void child.stdout.once("data", () => resolve()));
  return { child, ended, ready };
}

async function appears(file: string): Promise<boolean> {
  for (let waited = 0; waited < patienceMs; waited += 10) {
    if (existsSync(file)) return true;
    await setTimeout(10);
  }
  return false;
}

const stay = 'console.log("ready"); setInterval(() => undefined, 1000);';

for (const signal of ["SIGKILL", "SIGTERM"] as const) {
  test(`the cleanup is done if the process ends by ${signal}`, () =>
    withFolder(async (folder) => {
      const { child, ended, ready } = startGuarded(folder, stay);
      await ready;
      child.kill(signal);
      await ended;
      assert.equal(await appears(join(folder, "ended")), true);
    }));
}

test("the cleanup is not done if the guard was released, and the guard never delays the process", () =>
  withFolder(async (folder) => {
    const { ended } = startGuarded(folder, "guard.release();");
    await ended;
    // The guard of the second process is a witness: it is done when the first one would have been.
    await withFolder(async (other) => {
      const second = startGuarded(other, stay);
      await second.ready;
      second.child.kill("SIGKILL");
      await second.ended;
      assert.equal(await appears(join(other, "ended")), true);
    });
    assert.equal(existsSync(join(folder, "ended")), false);
  }));
