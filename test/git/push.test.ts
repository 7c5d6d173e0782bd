import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { setTimeout } from "node:timers/promises";
import { commitPaths } from "../../lib/git/commit.ts";
import { networkVariables, protocolsOf, withNetwork } from "../../lib/git/network.ts";
import { findGitPlace, type GitPlace } from "../../lib/git/place.ts";
import { type PushRequest, pushBranch, pushUrl } from "../../lib/git/push.ts";
import { findPushTarget, showUrl } from "../../lib/git/push-target.ts";
import { signedBy } from "../../lib/git/signatures.ts";
import type { Signer } from "../../lib/git/ssh-keygen.ts";
import { findExecutable } from "../../lib/process/find-executable.ts";
import { isPlainUrl } from "../../lib/text/repo-url.ts";
import { withoutSsh } from "../cli/signing-world.ts";
import { withFolder } from "../store/temporary-folder.ts";
import { git, gitEnv, makeRepo, write } from "./git-repo.ts";
import { commitRequest, filesOf, type GitWorld, makeGitWorld, statusOf } from "./git-world.ts";

async function push(world: GitWorld, options: Partial<PushRequest> = {}) {
  const end = await pushBranch({
    repo: world.repo,
    scratch: world.scratch,
    expected: { url: world.remote, file: "PIN" },
    unwelcome: () => [],
    fence: null,
    env: gitEnv,
    signal: null,
    ...options,
  });
  return {
    ...end,
    codes: end.findings.map(({ code }) => code),
    said: end.findings.map(({ message }) => message).join(),
  };
}

/** A pass changed `a` and committed it. */
async function committed(world: GitWorld, text = "ours\n"): Promise<string> {
  write(world.repo, { a: text });
  return (await world.commit(["a"])) ?? "";
}

/** Within a second; one that nobody has waited for yet counts as gone. */
async function isGone(pid: number): Promise<boolean> {
  for (let round = 0; round < 50; round += 1) {
    const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" });
    if (/^(?:Z.*)?$/.test(stdout.trim())) return true;
    await setTimeout(20);
  }
  return false;
}

const long = Array.from({ length: 20 }, (_value, line) => `${line}\n`).join("");

describe("pushing the branch", () => {
  it("pushes to the upstream, and notes where it stands", () =>
    withFolder(async (folder) => {
      const world = makeGitWorld(folder, { a: "1\n" });
      await committed(world);
      const { pushed, codes } = await push(world);
      assert.deepEqual([pushed, codes, world.remoteFiles()], [true, [], { a: "ours\n" }]);
      assert.match(world.git("status", "-sb"), /^## main\.\.\.origin\/main\n$/);
      assert.deepEqual((await push(world)).pushed, true);
    }));

  it("pushes a branch without upstream to the same name on origin, which becomes its upstream", () =>
    withFolder(async (folder) => {
      const world = makeGitWorld(folder, { a: "1\n" });
      world.git("switch", "-q", "-c", "agent/T-1");
      await committed(world);
      assert.equal((await push(world)).pushed, true);
      assert.match(world.git("status", "-sb"), /^## agent\/T-1\.\.\.origin\/agent\/T-1\n$/);
      assert.deepEqual([world.remoteFiles("agent/T-1"), world.remoteFiles()], [{ a: "ours\n" }, { a: "1\n" }]);
    }));

  it("puts the commits of passes on top of what others pushed, and leaves what is not committed as it is", () =>
    withFolder(async (folder) => {
      const world = makeGitWorld(folder, { a: long, b: "1\n", mine: "1\n", staged: "1\n" });
      write(world.repo, { mine: "mine\n", staged: "staged\n", untracked: "u\n" });
      world.git("add", "staged");
      const first = await committed(world, `${long}ours\n`);
      const second = await committed(world, `${long}ours\nagain\n`);
      world.others({ a: `theirs\n${long}`, b: "2\n", "in/new": "n\n" });
      const { pushed, codes, renamed } = await push(world);
      assert.deepEqual([pushed, codes, [...renamed.keys()]], [true, [], [first, second]]);
      const a = `theirs\n${long}ours\nagain\n`;
      assert.deepEqual(world.remoteFiles(), { a, b: "2\n", "in/new": "n\n", mine: "1\n", staged: "1\n" });
      assert.equal(world.git("rev-parse", "HEAD").trim(), renamed.get(second));
      assert.equal(
        world.git("log", "--format=%an %s").trim(),
        "task-phase task-phase: T-1 pass 1\ntask-phase task-phase: T-1 pass 1\na others\na first",
      );
      assert.deepEqual(statusOf(world.repo), [" M mine", "M  staged", "?? untracked"]);
      assert.equal(readFileSync(join(world.repo, "a"), "utf8"), a);
    }));

  it("puts index and working tree back if the branch cannot be moved", () =>
    withFolder(async (folder) => {
      const world = makeGitWorld(folder, { a: "1\n", b: "1\n", mine: "1\n" });
      write(world.repo, { mine: "mine\n" });
      const head = await committed(world);
      world.others({ b: "2\n", new: "n\n" });
      const lock = join(world.repo, ".git", "refs", "heads", "main.lock");
      writeFileSync(lock, "");
      const { pushed, codes, said } = await push(world);
      assert.deepEqual([pushed, codes], [false, ["TP_PUSH_BEHIND"]]);
      assert.match(said, /the branch could not be moved: /);
      assert.equal(world.git("rev-parse", "HEAD").trim(), head);
      assert.deepEqual(statusOf(world.repo), [" M mine"]);
      assert.deepEqual(
        [existsSync(join(world.repo, "new")), readFileSync(join(world.repo, "b"), "utf8")],
        [false, "1\n"],
      );
      rmSync(lock);
      assert.deepEqual((await push(world)).pushed, true);
      assert.deepEqual(world.remoteFiles(), { a: "ours\n", b: "2\n", mine: "1\n", new: "n\n" });
    }));

  it("takes rules that only fold files, and refuses others in their place", () =>
    withFolder(async (folder) => {
      const world = makeGitWorld(folder, { a: long, ".gitattributes": "* text\n" });
      await committed(world, `${long}ours\n`);
      world.others({ "tasks/.gitattributes": "*/artifacts/** linguist-generated -diff\n" });
      assert.equal((await push(world)).pushed, true);
      await committed(world, `${long}ours\nagain\n`);
      world.others({ ".gitattributes": "* -diff\n" });
      const { pushed, codes } = await push(world);
      assert.deepEqual([pushed, codes], [false, ["TP_PUSH_BEHIND"]]);
    }));

  const standsInTheWay: Readonly<Record<string, [(world: GitWorld) => unknown, string, RegExp]>> = {
    "others changed the same lines": [
      (world) => world.others({ a: "theirs\n" }),
      "TP_PUSH_CONFLICT",
      /same lines in a; nothing was moved$/,
    ],
    "what came in would touch what is not committed": [
      (world) => {
        write(world.repo, { b: "mine\n" });
        world.others({ b: "theirs\n" });
      },
      "TP_PUSH_BEHIND",
      /Entry 'b' not uptodate/,
    ],
    "an untracked file stands where one came in": [
      (world) => {
        write(world.repo, { new: "mine\n" });
        world.others({ new: "theirs\n" });
      },
      "TP_PUSH_BEHIND",
      /'new' would be overwritten/,
    ],
    "a commit of a person is not pushed yet": [
      (world) => {
        world.git("commit", "-q", "--allow-empty", "-m", "mine");
        world.others({ b: "theirs\n" });
      },
      "TP_PUSH_BEHIND",
      /was not made by a pass and is not pushed yet$/,
    ],
    "rules for writing files came in": [
      (world) => world.others({ "x/.gitattributes": "* text\n" }),
      "TP_PUSH_BEHIND",
      /\.gitattributes file came in/,
    ],
    "a filter would write what came in": [
      (world) => {
        world.git("config", "filter.evil.smudge", world.trap);
        write(world.repo, { ".git/info/attributes": "b filter=evil\n" });
        world.others({ b: "theirs\n" });
      },
      "TP_PUSH_BEHIND",
      /a filter program of git's settings, such as git-lfs, applies to b$/,
    ],
    "a merge program would decide": [
      (world) => {
        world.git("config", "merge.evil.driver", world.trap);
        write(world.repo, { ".git/info/attributes": "a merge=evil\n" });
        world.others({ a: "theirs\n" });
      },
      "TP_PUSH_CONFLICT",
      /nothing was moved$/,
    ],
    "the histories have nothing in common": [
      (world) => {
        makeRepo(join(world.folder, "stranger"), { z: "z\n" });
        git(join(world.folder, "stranger"), "push", "-q", "-f", world.remote, "main");
      },
      "TP_PUSH_BEHIND",
      /no common commit$/,
    ],
  };
  for (const [name, [act, code, words]] of Object.entries(standsInTheWay)) {
    it(`moves nothing where ${name}`, () =>
      withFolder(async (folder) => {
        const world = makeGitWorld(folder, { a: "1\n", b: "1\n" });
        await committed(world);
        act(world);
        const theirs = git(world.remote, "rev-parse", "main");
        const before = [
          world.git("rev-parse", "HEAD"),
          world.git("ls-files", "-s"),
          statusOf(world.repo),
          readFileSync(join(world.repo, "a"), "utf8"),
        ];
        const end = await push(world);
        assert.deepEqual([end.pushed, end.codes], [false, [code]], end.said);
        assert.match(end.said, words);
        assert.deepEqual(
          [
            world.git("rev-parse", "HEAD"),
            world.git("ls-files", "-s"),
            statusOf(world.repo),
            readFileSync(join(world.repo, "a"), "utf8"),
          ],
          before,
        );
        assert.deepEqual([git(world.remote, "rev-parse", "main"), world.sprung()], [theirs, false]);
      }));
  }

  it("moves no code under what was proven, but lets in what the caller does", () =>
    withFolder(async (folder) => {
      const world = makeGitWorld(folder, { a: "1\n", code: "1\n", "tasks/T-2/x": "1\n" });
      await committed(world);
      world.others({ "tasks/T-2/x": "2\n" });
      const unwelcome = (paths: readonly string[]) => paths.filter((path) => !path.startsWith("tasks/"));
      assert.equal((await push(world, { unwelcome })).pushed, true);
      await committed(world, "more\n");
      world.others({ code: "2\n", "tasks/T-2/x": "3\n" });
      const end = await push(world, { unwelcome });
      assert.deepEqual([end.pushed, end.codes, filesOf(world.repo, "HEAD").code], [false, ["TP_PUSH_MOVED"], "1\n"]);
      assert.match(end.said, /others pushed code, and the proof here was made without these changes$/);
    }));

  it("gives up after three times, and takes a refusal of the remote as final", () =>
    withFolder(async (folder) => {
      const world = makeGitWorld(folder, { a: "1\n" });
      await committed(world);
      world.others({ b: "b\n" });
      const hook = join(world.remote, "hooks/update");
      mkdirSync(join(world.remote, "hooks"), { recursive: true });
      writeFileSync(hook, "#!/bin/sh\necho no agents here\nexit 1\n");
      chmodSync(hook, 0o755);
      const refused = await push(world);
      assert.deepEqual(refused.codes, ["TP_PUSH_FAILED"]);
      assert.match(refused.said, /hook declined\) \(no agents here/);
      assert.equal(refused.renamed.size, 1);
      // Somebody else is always faster: the branch moves as soon as it was fetched.
      writeFileSync(hook, `#!/bin/sh\nexit 0\n`);
      const race = join(world.remote, "hooks/pre-receive");
      writeFileSync(
        race,
        `#!/bin/sh\nunset GIT_QUARANTINE_PATH\ngit update-ref refs/heads/main $(git commit-tree -p main -m x main^{tree} </dev/null)\n`,
      );
      chmodSync(race, 0o755);
      git(world.remote, "config", "user.name", "x");
      git(world.remote, "config", "user.email", "x@example.org");
      const behind = await push(world);
      assert.deepEqual([behind.pushed, behind.codes], [false, ["TP_PUSH_BEHIND"]], behind.said);
      assert.match(behind.said, /others pushed first, 3 times in a row$/);
    }));

  it("does not push without a branch, while a merge is in progress, or to a URL that a pass set", () =>
    withFolder(async (folder) => {
      const world = makeGitWorld(folder, { a: "1\n" });
      const [, ...rest] = [await committed(world)];
      assert.deepEqual(rest, []);
      assert.equal(await pushUrl(world.repo, gitEnv), world.remote);
      world.git("config", "remote.origin.pushurl", `https://me:secret@example.org/x`);
      const other = await push(world);
      assert.deepEqual(other.codes, ["TP_PUSH_URL"]);
      assert.match(other.said, /is https:\/\/example\.org\/x, but before a model ran it was .*remote\.git$/);
      assert.match((await push(world, { expected: { url: "", file: "PIN" } })).said, /it was none$/);
      world.git("config", "remote.origin.pushurl", `ext::${world.trap}`);
      assert.deepEqual((await push(world)).codes, ["TP_PUSH_REMOTE"]);
      assert.equal(await pushUrl(world.repo, gitEnv), "");
      writeFileSync(join(world.repo, ".git/MERGE_HEAD"), "");
      assert.deepEqual((await push(world)).codes, ["TP_GIT_BUSY"]);
      rmSync(join(world.repo, ".git/MERGE_HEAD"));
      world.git("checkout", "-q", "--detach");
      assert.deepEqual((await push(world)).codes, ["TP_PUSH_BRANCH"]);
      assert.deepEqual([await pushUrl(world.repo, gitEnv), await pushUrl(folder, gitEnv)], [null, null]);
      assert.deepEqual((await push(world, { repo: folder })).findings, []);
      assert.deepEqual([world.sprung(), world.remoteFiles()], [false, { a: "1\n" }]);
    }));

  it("runs no program that .git/config names, and follows none of its ways elsewhere", () =>
    withFolder(async (folder) => {
      const world = makeGitWorld(folder, { a: "1\n" });
      git(folder, "init", "-q", "--bare", join(folder, "evil.git"));
      await committed(world);
      world.others({ b: "b\n" });
      mkdirSync(join(world.repo, ".git/hooks"), { recursive: true });
      for (const hook of [
        "pre-push",
        "reference-transaction",
        "pre-auto-gc",
        "post-rewrite",
        "post-checkout",
        "post-index-change",
      ])
        symlinkSync(world.trap, join(world.repo, ".git/hooks", hook));
      for (const key of [
        "remote.origin.receivepack",
        "remote.origin.uploadpack",
        "core.sshCommand",
        "core.gitProxy",
        "core.alternateRefsCommand",
        "core.fsmonitor",
        "gpg.program",
        "credential.helper",
        "core.askPass",
        "uploadpack.packObjectsHook",
      ])
        world.git("config", key, world.trap);
      world.git("config", "push.gpgSign", "true");
      world.git("config", "remote.origin.vcs", "ext");
      world.git("config", `url.${join(folder, "evil.git")}.pushInsteadOf`, world.remote);
      world.git("config", `url.ext::${world.trap}.insteadOf`, world.remote);
      const end = await push(world);
      assert.deepEqual([end.pushed, end.codes], [true, []], end.said);
      assert.deepEqual([world.sprung(), world.remoteFiles()], [false, { a: "ours\n", b: "b\n" }]);
      assert.equal(git(join(folder, "evil.git"), "branch"), "");
    }));

  it("pushes from a clone that is cut off, and says what is wrong where the remote is gone", () =>
    withFolder(async (folder) => {
      const world = makeGitWorld(folder, { a: "1\n" });
      write(world.repo, { a: "2\n" });
      world.git("commit", "-q", "-a", "-m", "second");
      world.git("push", "-q");
      const repo = join(folder, "shallow");
      git(folder, "clone", "-q", "--depth=1", `file://${world.remote}`, repo);
      const shallow: GitWorld = { ...world, repo, git: (...args) => git(repo, ...args) };
      write(repo, { c: "c\n" });
      git(repo, "add", "-A");
      git(repo, "commit", "-q", "-m", "x\n\nTask-Phase-Task: T-1");
      world.others({ b: "b\n" });
      const expected = { url: `file://${world.remote}`, file: "PIN" };
      assert.deepEqual((await push(shallow, { expected })).codes, []);
      assert.deepEqual(world.remoteFiles(), { a: "2\n", b: "b\n", c: "c\n" });
      git(repo, "remote", "set-url", "origin", join(folder, "gone"));
      const end = await push(shallow, { expected: { url: join(folder, "gone"), file: "PIN" } });
      assert.deepEqual(end.codes, ["TP_PUSH_FAILED"]);
      assert.match(end.said, /does not appear to be a git repository/);
    }));
});

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

describe("the target of a push", () => {
  const of = (repo: readonly (readonly [string, string])[]) => {
    const found = findPushTarget({ own: [], repo }, "refs/heads/work");
    return found.kind === "target" ? `${found.target.remote} ${found.target.url} ${found.target.isNew}` : found.why;
  };

  it("is what git push would take, but no branch of another name", () => {
    const origin = ["remote.origin.url", "https://o/x"] as const;
    const fork = ["remote.fork.url", "git@h:x"] as const;
    const merge = ["branch.work.merge", "refs/heads/work"] as const;
    assert.deepEqual(
      [
        of([]),
        of([origin]),
        of([origin, ["branch.work.remote", "origin"], merge]),
        of([origin, fork, ["branch.work.remote", "origin"], merge, ["remote.pushdefault", "fork"]]),
        of([origin, fork, ["branch.work.pushremote", "fork"]]),
        of([origin, ["branch.work.remote", "origin"], ["branch.work.merge", "refs/heads/main"]]),
        of([["branch.work.remote", "."]]),
        of([["remote.origin.url", "ext::sh -c x"]]),
      ],
      [
        "there is no remote origin",
        "origin https://o/x true",
        "origin https://o/x false",
        "fork git@h:x false",
        "fork git@h:x true",
        "the upstream of work has another name, refs/heads/main",
        "there is no remote .",
        "the remote origin has a URL that cannot be pushed to: ext::sh -c x",
      ],
    );
  });

  it("is no program, no option and nothing unknown", () => {
    const plain = ["https://h/x", "HTTP://h/x", "ssh://h/x", "git@h:x", "file:///x", "/x", "../x", "git://h/x", "C:x"];
    const strange = [
      "",
      "ext::sh",
      "::x",
      "foo::https://h",
      "--upload-pack=x",
      "ftp://h/x",
      "persistent-https://h",
      "a\nb",
      "fd::7",
    ];
    assert.deepEqual([plain.filter((url) => !isPlainUrl(url)), strange.filter(isPlainUrl)], [[], []]);
    assert.equal(showUrl("https://a:b@c@h/x@y"), "https://h/x@y");
  });
});

describe("pushing signed commits", { skip: withoutSsh }, () => {
  it("signs again what it made again, and nothing that only says to be of a pass", () =>
    withFolder(async (folder) => {
      const world = makeGitWorld(folder, { a: "1\n", b: "1\n", c: "1\n" });
      const signer = makeSigner(folder, "runner");
      const other = makeSigner(folder, "other");
      const make = async (path: string, by: Signer | null) => {
        write(world.repo, { [path]: "ours\n" });
        const { sha } = await commitPaths({ ...commitRequest(world.repo, world.scratch, [path]), signer: by });
        return sha ?? "";
      };
      const [first, forged] = [await make("a", signer), await make("b", other)];
      const last = await make("c", signer);
      world.others({ d: "theirs\n" });
      const { pushed, codes, renamed } = await push(world, { signer: async () => signer });
      assert.deepEqual([pushed, codes, [...renamed.keys()]], [true, [], [first, forged, last]]);
      const place = findGitPlace(world.repo) as GitPlace;
      const made = [...renamed.values()];
      assert.deepEqual([...(await signedBy(place, made, signer))], [made[0], made[2]]);
      assert.deepEqual([...(await signedBy(place, made, other))], []);
    }));

  it("pushes nothing if it cannot sign again", () =>
    withFolder(async (folder) => {
      const world = makeGitWorld(folder, { a: "1\n" });
      const signer = makeSigner(folder, "runner");
      write(world.repo, { a: "ours\n" });
      await commitPaths({ ...commitRequest(world.repo, world.scratch, ["a"]), signer });
      const before = world.git("rev-parse", "HEAD");
      world.others({ d: "theirs\n" });
      rmSync(signer.key);
      await assert.rejects(
        push(world, { signer: async () => signer }),
        /not committed, since the commit could not be signed: git commit-tree/,
      );
      assert.equal(world.git("rev-parse", "HEAD"), before);
      assert.deepEqual(world.remoteFiles(), { a: "1\n", d: "theirs\n" });
    }));
});

/** A key `NAME` in the folder. */
function makeSigner(folder: string, name: string): Signer {
  const key = join(folder, name);
  spawnSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", key]);
  const [type, bytes] = readFileSync(`${key}.pub`, "utf8").split(" ");
  const program = findExecutable("ssh-keygen", "/", process.env.PATH ?? "") ?? "";
  return { program, key, publicKey: `${type} ${bytes}`, env: gitEnv };
}
