import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { describe, test } from "node:test";
import { codesOf, makeSigningWorld, type SigningWorld, withoutSsh } from "../cli/signing-world.ts";
import { noSandbox } from "../process/can-sandbox.ts";

/** Each commit of a pass, by the letter and the principal that git itself gives its signature. */
function signaturesOf(world: SigningWorld, file: string): string[] {
  const format = "--format=%G? %GS%(trailers:key=Task-Phase-Pass,separator=%x20,keyonly=no)";
  const settings = ["-c", `gpg.ssh.allowedSignersFile=${file}`, "-c", "gpg.ssh.program=ssh-keygen"];
  return world
    .app(...settings, "log", format, "--grep=^Task-Phase-Task:")
    .trimEnd()
    .split("\n");
}

const plants = [
  "git config user.signingkey /nowhere/key",
  "git config gpg.format openpgp",
  "git config gpg.program $PWD/../trap",
  "git config gpg.ssh.program $PWD/../trap",
  "git config gpg.ssh.defaultKeyCommand $PWD/../trap",
  "git config gpg.ssh.allowedSignersFile /dev/null",
  "git config commit.gpgSign false",
].join("; ");

describe("sign: ssh", { skip: withoutSsh }, () => {
  test("signs each commit with the runner's key, whatever an agent plants in .git/config", async (t) => {
    const world = makeSigningWorld(t, "checkpoint: commit\n", plants);
    writeFileSync(world.path("trap"), `#!/bin/sh\ntouch '${world.folder}/sprung'\nexit 1\n`, { mode: 0o755 });
    const end = await world.loop();
    assert.deepEqual([end.code, codesOf(end)], [0, ["TP_GIT_SETTINGS"]]);
    assert.equal(world.app("config", "user.signingkey"), "/nowhere/key\n");
    assert.equal(world.exists("sprung"), false);
    const signed = signaturesOf(world, world.allow(world.line("runner", 'namespaces="git"')));
    assert.deepEqual(
      signed,
      [5, 4, 3, 2, 1].map((pass) => `G runner@example.orgTask-Phase-Pass: ${pass}`),
    );
  });

  const broken: Record<string, readonly [string, (world: SigningWorld) => string]> = {
    "no key at all": ["there is no signing key", () => ""],
    "a file that is not there": ["there is no signing key", (world) => world.path("keys/none")],
    "a path that is not absolute": ["must be an absolute path", () => "keys/runner"],
    "a folder": ["the signing key cannot be read (folder)", (world) => world.path("keys")],
    "a link to nowhere": [
      "the signing key cannot be read (missing)",
      (world) => {
        symlinkSync("none", world.path("keys/link"));
        return world.path("keys/link");
      },
    ],
    "another file": ["neither a private nor a public ssh key", (world) => world.write("keys/text", "hello\n")],
    "an empty file": ["neither a private nor a public ssh key", (world) => world.write("keys/text", "")],
    "a private key that is cut off": [
      "the signing key does not sign",
      (world) => {
        const file = world.write("keys/cut", world.read("keys/runner").slice(0, 100));
        chmodSync(file, 0o600);
        return file;
      },
    ],
    "a key that others can read": [
      "its mode is 0644",
      (world) => {
        chmodSync(world.key, 0o644);
        return world.key;
      },
    ],
    "the public half of a key that others can read": [
      "its mode is 0640",
      (world) => {
        chmodSync(world.key, 0o640);
        return `${world.key}.pub`;
      },
    ],
    "a public key without its private half": [
      "the signing key does not sign",
      (world) => {
        renameSync(world.key, world.path("keys/away"));
        return `${world.key}.pub`;
      },
    ],
    "a key with a passphrase": ["the signing key has a passphrase", (world) => world.makeKey("locked", "secret")],
    "a key in the repository": [
      "is in a folder that agents write to",
      (world) => {
        copyFileSync(world.key, world.path("app/key"));
        chmodSync(world.path("app/key"), 0o600);
        return world.path("app/key");
      },
    ],
    "a link out of the repository": [
      "is in a folder that agents write to",
      (world) => {
        symlinkSync(world.key, world.path("app/tasks/key"));
        return world.path("app/tasks/key");
      },
    ],
    "a link into .git": [
      "is in a folder that agents write to",
      (world) => {
        copyFileSync(world.key, world.path("app/.git/key"));
        chmodSync(world.path("app/.git/key"), 0o600);
        symlinkSync(world.path("app/.git/key"), world.path("keys/link"));
        return world.path("keys/link");
      },
    ],
  };
  for (const [name, [words, make]] of Object.entries(broken)) {
    test(`${name} is a config error before a model is called`, async (t) => {
      const world = makeSigningWorld(t);
      const args = ["--task-dir", world.path("app/tasks/T-1"), "--json"];
      const end = await world.call("task-phase-run", args, { env: { TASK_PHASE_SIGNING_KEY: make(world) } });
      const [finding] = end.json().findings as { code: string; message: string; fix: string }[];
      assert.deepEqual([end.code, finding?.code, world.calls()], [78, "TP_SIGN", 0], end.stdout);
      assert.ok(finding?.message.includes(words), finding?.message);
    });
  }

  test("a program that knows the passphrase is not asked for it", async (t) => {
    const world = makeSigningWorld(t);
    const says = world.write("says", "#!/bin/sh\necho secret\n");
    chmodSync(says, 0o755);
    const key = world.makeKey("locked", "secret");
    const env = { TASK_PHASE_SIGNING_KEY: key, SSH_ASKPASS: says, SSH_ASKPASS_REQUIRE: "force", DISPLAY: ":0" };
    const end = await world.call("task-phase-run", ["--task-dir", world.path("app/tasks/T-1"), "--json"], { env });
    assert.deepEqual([end.code, codesOf(end), world.calls()], [78, ["TP_SIGN"], 0]);
  });

  test("a key beside the repository, where .git leads to, is in reach of agents too", async (t) => {
    const world = makeSigningWorld(t);
    world.app("init", "--quiet", "--separate-git-dir", world.path("elsewhere"));
    copyFileSync(world.key, world.path("elsewhere/key"));
    chmodSync(world.path("elsewhere/key"), 0o600);
    const env = { TASK_PHASE_SIGNING_KEY: world.path("elsewhere/key") };
    const end = await world.call("task-phase-run", ["--task-dir", world.path("app/tasks/T-1"), "--json"], { env });
    assert.equal(end.code, 78);
    assert.match(end.stdout, /is in a folder that agents write to/);
  });

  test("without a key the two commands that make one are printed, and they work", async (t) => {
    const world = makeSigningWorld(t);
    const args = ["--task-dir", world.path("app/tasks/T-1"), "--json"];
    const end = await world.call("task-phase-run", args);
    const [finding] = end.json().findings as { fix: string }[];
    assert.match(
      finding?.fix ?? "",
      /^mkdir -p \S+\/config\/task-phase && ssh-keygen -t ed25519 .*\/task-phase\/signing_key && echo "/,
    );
    execFileSync("/bin/sh", ["-c", finding?.fix ?? "false"], { cwd: world.folder, env: world.env });
    assert.equal((await world.call("task-phase-run", args)).code, 0);
    const [signed] = signaturesOf(world, world.path("allowed_signers"));
    assert.equal(signed, "G runner@example.orgTask-Phase-Pass: 1");
  });

  test("without ssh-keygen, and with a git that cannot sign, it is a config error too", async (t) => {
    const world = makeSigningWorld(t);
    const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
    const env = { TASK_PHASE_SIGNING_KEY: world.key };
    const git = world.write("bare/git", `#!/bin/sh\nexec ${real} "$@"\n`);
    chmodSync(git, 0o755);
    const args = ["--task-dir", world.path("app/tasks/T-1"), "--json"];
    const none = await world.call("task-phase-run", args, { env: { ...env, PATH: world.path("bare") } });
    assert.equal(none.code, 78);
    assert.match(none.stdout, /ssh-keygen is not on PATH/);
    world.write(
      "bare/git",
      `#!/bin/sh\ntest "$1" = version && { echo git version 2.30.2; exit; }\nexec ${real} "$@"\n`,
    );
    const PATH = `${world.path("bare")}:${world.env.PATH}`;
    const old = await world.call("task-phase-run", args, { env: { ...env, PATH } });
    assert.equal(old.code, 78);
    assert.match(old.stdout, /git supports ssh signatures since 2\.34; this is 2\.30/);
    const planted = world.write("app/ssh-keygen", "#!/bin/sh\ntouch sprung\n");
    chmodSync(planted, 0o755);
    const found = await world.call("task-phase-run", args, { env: { ...env, PATH: `${world.path("app")}:${PATH}` } });
    assert.match(found.stdout, /this is 2\.30/);
    assert.equal(world.exists("app/sprung"), false);
  });

  test("an agent learns neither the key nor where ssh-agent listens", async (t) => {
    const world = makeSigningWorld(t, "checkpoint: commit\n", 'env > "$TASK_PHASE_TASK_DIR/artifacts/env.txt"');
    world.write("app/tasks/T-1/artifacts/.keep", "");
    const args = ["--task-dir", world.path("app/tasks/T-1"), "--json"];
    const env = { TASK_PHASE_SIGNING_KEY: world.key, SSH_AUTH_SOCK: world.path("nobody") };
    assert.equal((await world.call("task-phase-run", args, { env })).code, 0);
    const told = world.read("app/tasks/T-1/artifacts/env.txt");
    assert.match(told, /^TASK_PHASE_PASS=1$/m);
    assert.doesNotMatch(told, /SIGNING_KEY|SSH_AUTH_SOCK|keys\/runner/);
  });

  test("an agent in a sandbox cannot read the key", { skip: noSandbox }, async (t) => {
    const steal = 'wc -c ../keys/runner ../keys/runner.pub > "$TASK_PHASE_TASK_DIR/artifacts/sizes.txt"; exit 0';
    const world = makeSigningWorld(t, "checkpoint: commit\nsandbox: bwrap\n", steal);
    world.write("app/tasks/T-1/artifacts/.keep", "");
    await world.loop("--max-passes", "1");
    const sizes = world.read("app/tasks/T-1/artifacts/sizes.txt");
    assert.match(sizes, /^ *[1-9]\d+ \.\.\/keys\/runner\.pub$/m);
    assert.doesNotMatch(sizes, /keys\/runner$/m);
  });

  test("a commit that cannot be signed is not made, and the next pass makes it", async (t) => {
    const world = makeSigningWorld(t, "checkpoint: commit\n", "mv ../keys/runner ../keys/away 2> /dev/null");
    const start = world.app("rev-parse", "HEAD");
    const end = await world.loop("--max-passes", "1");
    assert.deepEqual(codesOf(end), ["TP_SIGN"]);
    assert.deepEqual([world.app("rev-parse", "HEAD"), world.calls()], [start, 1]);
    assert.match(world.read("app/tasks/T-1/STATE.md"), /^- Phase: shape$/m);
    renameSync(world.path("keys/away"), world.key);
    world.write("app/tasks/task-phase.yaml", world.read("app/tasks/task-phase.yaml").replace("mv ", "true "));
    assert.deepEqual(codesOf(await world.loop("--max-passes", "1")), []);
    const file = world.allow(world.line("runner"));
    assert.deepEqual(signaturesOf(world, file), ["G runner@example.orgTask-Phase-Pass: 2"]);
    assert.equal(world.app("status", "--porcelain", "tasks/T-1"), "");
  });

  test("a key that ssh-agent holds signs too", async (t) => {
    const world = makeSigningWorld(t);
    const locked = world.makeKey("locked", "secret");
    const socket = world.path("agent.sock");
    const pid = /SSH_AGENT_PID=(\d+)/.exec(execFileSync("ssh-agent", ["-s", "-a", socket], { encoding: "utf8" }))?.[1];
    t.after(() => process.kill(Number(pid)));
    const says = world.write("says", "#!/bin/sh\necho secret\n");
    chmodSync(says, 0o755);
    const asks = { SSH_AUTH_SOCK: socket, SSH_ASKPASS: says, SSH_ASKPASS_REQUIRE: "force" };
    execFileSync("ssh-add", ["-q", locked], { env: { ...world.env, ...asks }, stdio: "ignore" });
    const env = { TASK_PHASE_SIGNING_KEY: `${locked}.pub`, SSH_AUTH_SOCK: socket };
    const end = await world.call("task-phase-run", ["--task-dir", world.path("app/tasks/T-1"), "--json"], { env });
    assert.deepEqual([end.code, codesOf(end)], [0, []]);
    assert.deepEqual(signaturesOf(world, world.allow(world.line("locked"))), [
      "G locked@example.orgTask-Phase-Pass: 1",
    ]);
  });

  test("doctor says whether the key signs, and nothing of it without the key in task-phase.yaml", async (t) => {
    const world = makeSigningWorld(t);
    const doctor = async (key: string) => {
      const end = await world.call("task-phase", ["doctor", "--json"], {
        env: { TASK_PHASE_SIGNING_KEY: key },
        cwd: "app/tasks",
      });
      return [end.code, end.json().signing, codesOf(end).includes("TP_SIGN")];
    };
    assert.deepEqual(await doctor(world.key), [0, { config: "ssh", key: world.key, problem: null }, false]);
    const problem = "`sign: ssh` is set, but there is no signing key";
    assert.deepEqual(await doctor("/nowhere/key"), [0, { config: "ssh", key: null, problem }, true]);
    world.write("app/tasks/task-phase.yaml", "models: []\n");
    assert.deepEqual(await doctor(world.key), [0, { config: "none", key: null, problem: null }, false]);
  });
});
