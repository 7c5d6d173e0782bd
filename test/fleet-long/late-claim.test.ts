import assert from "node:assert/strict";
import { chmodSync, existsSync } from "node:fs";
import path from "node:path";
import { describe, test } from "node:test";
import { makeBranchWorld } from "../cli/branch-world.ts";

/**
 * In the place of git: the first call that moves refs outlives its runner, which is killed, and moves them when the next
 * runner is about to.
 */
const lateGit = (real: string, saved: string) => `#!/bin/sh
case "$*" in *"update-ref"*"--stdin"*)
  if test ! -e "${saved}"; then cat > "${saved}.half"; mv "${saved}.half" "${saved}"; kill -9 "$PPID"; exit 1; fi
  if mkdir "${saved}.moved" 2> /dev/null; then "${real}" -C repo update-ref --stdin < "${saved}" || exit 1; fi ;;
esac
exec "${real}" "$@"
`;

describe("the git of a claim that outlives its runner", () => {
  test("is no other run's claim: the run after the next one goes on", async (t) => {
    const world = makeBranchWorld(t, { "T-1": {} });
    const real = path.join(world.git("repo", "--exec-path").trim(), "git");
    const saved = world.path("saved");
    const git = world.write("bin/git", lateGit(real, saved).replace("-C repo", `-C '${world.path("repo")}'`));
    chmodSync(git, 0o755);
    const env = { PATH: `${path.dirname(git)}:${process.env.PATH}` };
    const pass = async () => await world.run("task-phase", ["run", "T-1"], { cwd: "repo", env });
    assert.equal((await pass()).signal, "SIGKILL");
    const second = await pass();
    assert(existsSync(`${saved}.moved`), second.stderr);
    assert.equal(second.code, 75, second.stdout + second.stderr);
    await world.ends(0, "loop");
    assert.equal(await world.phaseOf("T-1"), "done");
  });
});
