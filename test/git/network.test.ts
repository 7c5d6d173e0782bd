import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { setTimeout } from "node:timers/promises";
import { networkVariables, protocolsOf, withNetwork } from "../../lib/git/network.ts";
import type { GitPlace } from "../../lib/git/place.ts";
import { withFolder } from "../store/temporary-folder.ts";
import { gitEnv } from "./git-repo.ts";
import { makeGitWorld } from "./git-world.ts";

/** Within a second; one that nobody has waited for yet counts as gone. */
async function isGone(pid: number): Promise<boolean> {
  for (let round = 0; round < 50; round += 1) {
    const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" });
    if (/^(?:Z.*)?$/.test(stdout.trim())) return true;
    await setTimeout(20);
  }
  return false;
}

describe("a call over the network", () => {
  const settings = {
    own: [
      ["credential.helper", "mine"],
      ["core.hookspath", "/hooks"],
      ["include.path", "/x"],
      ["url.https://mirror/.insteadof", "https://origin/"],
    ],
    repo: [
      ["credential.helper", "evil"],
      ["core.sshcommand", "evil"],
      ["http.proxy", "http://evil"],
      ["http.https://origin/.extraheader", "AUTHORIZATION: basic x"],
    ],
  } as const;

  it("has the person's settings, only the header of CI systems from the repo's, and never prompts", () => {
    const env = { PATH: "/bin", GIT_DIR: "/elsewhere", GIT_SSL_CAINFO: "/ca" };
    const variables = networkVariables(settings, env, "https://origin/x");
    const values = Object.entries(variables).filter(([name]) => name.startsWith("GIT_CONFIG_VALUE_"));
    assert.deepEqual(
      values.slice(0, 6).map(([, value]) => value),
      ["1000", "60", "mine", "/hooks", "https://origin/", "AUTHORIZATION: basic x"],
    );
    assert.equal(values[6]?.[1], "/dev/null");
    assert.doesNotMatch(JSON.stringify(variables), /evil|elsewhere/);
    const { GIT_SSH_COMMAND, GIT_ASKPASS, GIT_TERMINAL_PROMPT, SSH_ASKPASS, GIT_SSL_CAINFO, GIT_ALLOW_PROTOCOL } =
      variables;
    assert.deepEqual(
      [GIT_SSH_COMMAND, GIT_ASKPASS, GIT_TERMINAL_PROMPT, SSH_ASKPASS, GIT_SSL_CAINFO],
      ["ssh -o BatchMode=yes -o ServerAliveInterval=20", "", "0", "false", "/ca"],
    );
    assert.equal(GIT_ALLOW_PROTOCOL, "https");
    const chosen = networkVariables({ own: [["core.sshcommand", "plink"]], repo: [] }, {}, "host:x");
    assert.equal(chosen.GIT_SSH_COMMAND, undefined);
    assert.equal(networkVariables(settings, { GIT_SSH_COMMAND: "ssh -i key" }, "").GIT_SSH_COMMAND, "ssh -i key");
  });

  it("speaks the protocol of the remote alone, as the person's own settings rewrite it", () => {
    const own = [
      ["url.git@host:.insteadof", "https://host/"],
      ["url.ext::evil .insteadof", "https://evil/"],
      ["url.http://mirror/.pushinsteadof", "file:///x/"],
    ] as const;
    assert.deepEqual(
      [
        "https://other/x",
        "https://host/x",
        "git@host:x",
        "http://h/x",
        "/srv/x.git",
        "../x",
        "file:///x/y",
        "SSH://h/x",
        "https://evil/x",
        "ext::sh -c x",
      ].map((url) => protocolsOf(url, own).join(" ")),
      ["https", "ssh", "ssh", "http https", "file", "file", "file http https", "ssh", "", ""],
    );
  });

  it("is ended with all that it started when a signal comes, and does not begin after one", () =>
    withFolder(async (folder) => {
      const world = makeGitWorld(folder, { a: "1\n" });
      const place: GitPlace = {
        top: world.repo,
        gitDir: join(world.repo, ".git"),
        commonDir: join(world.repo, ".git"),
      };
      const ssh = join(folder, "ssh.sh");
      writeFileSync(ssh, `#!/bin/sh\necho $$ > '${folder}/new' && mv '${folder}/new' '${folder}/pid'\nexec sleep 30\n`);
      chmodSync(ssh, 0o755);
      const stop = new AbortController();
      const env = { ...gitEnv, GIT_SSH_COMMAND: ssh, GIT_SSH_VARIANT: "simple" };
      const { scratch } = world;
      const url = "ssh://example.org/x";
      const { signal } = stop;
      await withNetwork({ place, settings: { own: [], repo: [] }, scratch, env, signal, url }, async (network) => {
        const asked = network.call(["ls-remote", url]);
        while (!existsSync(join(folder, "pid"))) await setTimeout(10);
        stop.abort();
        assert.deepEqual(await asked, { exitCode: null, stdout: "", said: "stopped by a signal" });
        const pid = Number(readFileSync(join(folder, "pid"), "utf8"));
        assert.equal(await isGone(pid), true);
        assert.equal((await network.call(["version"])).said, "stopped by a signal");
      });
      const settings = { own: [], repo: [["extensions.objectformat", "sha256"]] } as const;
      const nowhere = { place, settings, scratch, env: { PATH: "/nonexistent" }, signal: null, url: "" };
      await withNetwork(nowhere, async (network) => {
        assert.equal((await network.call(["version"])).said.slice(0, 22), "git is not on the PATH");
        assert.match(readFileSync(join(network.gitDir, "config"), "utf8"), /objectFormat = sha256/);
      });
      assert.deepEqual(readdirSync(scratch), []);
    }));
});
