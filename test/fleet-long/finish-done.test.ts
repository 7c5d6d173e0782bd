import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { withoutSsh } from "../cli/signing-world.ts";
import { codesOf, makeFleet } from "../fleet/fleet-world.ts";

/** In the place of ssh-keygen: kills the runner when it is to sign the statement. */
const killing = (real: string) => `#!/bin/sh
case "$*" in *"-n task-phase "*) kill -9 "$PPID"; exit 1 ;; esac
exec "${real}" "$@"
`;

test("a claimed pass that is killed before it signs its statement is pushed with one, trimmed as it is to be", {
  skip: withoutSsh,
}, async (t) => {
  const fleet = makeFleet(t, { config: "sign: ssh\nkeep: proof\n" });
  const key = fleet.path("runner");
  execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", key]);
  const env = { TASK_PHASE_SIGNING_KEY: key };
  const one = fleet.machine("one");
  for (const _ of [1, 2, 3, 4]) assert.equal((await one.pass("T-1", [], { env })).verdict, "accepted");
  const real = execFileSync("sh", ["-c", "command -v ssh-keygen"], { encoding: "utf8" }).trim();
  const tool = fleet.write("bin/ssh-keygen", killing(real));
  chmodSync(tool, 0o755);
  const killed = await one.claim("T-1", [], { env: { ...env, PATH: `${path.dirname(tool)}:${process.env.PATH}` } });
  assert.equal(killed.signal, "SIGKILL");
  assert.match(fleet.onBranch("T-1", "tasks/T-1/STATE.md"), /^- Phase: review$/m);
  const next = await one.pass("T-1", [], { env });
  assert.deepEqual([next.verdict, codesOf(next)], [null, ["TP_RECOVERED"]], next.reason);
  assert.match(fleet.onBranch("T-1", "tasks/T-1/STATE.md"), /^- Phase: done$/m);
  assert.match(fleet.onBranch("T-1", "tasks/T-1/artifacts/evidence.html"), /attestation\.json/);
  fleet.git(".", "clone", "-q", "-b", "task-phase/T-1", fleet.remote, "view");
  const signers = fleet.write("signers", `runner@example.org ${fleet.read("runner.pub")}`);
  const words = ["check", "tasks/T-1", "--attestation", "--allowed-signers", signers];
  const checked = await fleet.run("task-phase", words, { cwd: "view" });
  assert.equal(checked.code, 0, checked.stdout + checked.stderr);
  assert.equal(fleet.exists("view/tasks/T-1/artifacts/passes/packed.jsonl"), true);
});
