import assert from "node:assert/strict";
import { chmodSync } from "node:fs";
import path from "node:path";
import { describe, test } from "node:test";
import { makeFleet } from "../fleet/fleet-world.ts";

/** In the place of git: sends the runner a TERM when it is called with these words, and then takes its time. */
const stopping = (words: string, real: string) => `#!/bin/sh
case "$*" in *"${words}"*) kill -TERM "$PPID"; exec sleep 30 ;; esac
exec "${real}" "$@"
`;

describe("a claimed pass that a person ends before it is claimed", { concurrency: 2 }, () => {
  for (const words of ["init -q", "checkout -q --no-track"]) {
    test(`in git ${words}: the signal's own exit code, nothing is begun, and the next call goes on`, async (t) => {
      const fleet = makeFleet(t);
      const real = path.join(fleet.git(".", "--exec-path").trim(), "git");
      const git = fleet.write("bin/git", stopping(words, real));
      chmodSync(git, 0o755);
      const one = fleet.machine("one");
      const stopped = await one.claim("T-1", [], { env: { PATH: `${path.dirname(git)}:${process.env.PATH}` } });
      assert.equal(stopped.code, 143, stopped.stderr);
      assert.equal(fleet.inRemote("for-each-ref", "refs/heads/task-phase/"), "");
      assert.equal((await one.pass("T-1")).verdict, "accepted");
    });
  }
});
