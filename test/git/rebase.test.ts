import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { commitPaths } from "../../lib/git/commit.ts";
import { findGitPlace, type GitPlace } from "../../lib/git/place.ts";
import { signedBy } from "../../lib/git/signatures.ts";
import type { Signer } from "../../lib/git/ssh-keygen.ts";
import { findExecutable } from "../../lib/process/find-executable.ts";
import { withoutSsh } from "../cli/signing-world.ts";
import { withFolder } from "../store/temporary-folder.ts";
import { git, gitEnv, makeRepo, write } from "./git-repo.ts";
import { commitRequest, filesOf, type GitWorld, makeGitWorld, statusOf } from "./git-world.ts";
import { committed, push } from "./push-world.ts";

const long = Array.from({ length: 20 }, (_value, line) => `${line}\n`).join("");

describe("the commits of passes, where others pushed first", () => {
  it("puts the commits of passes on top of what others pushed, and leaves what is not committed as it is", () =>
    withFolder(async (folder) => {
      const world = makeGitWorld(folder, { a: long, b: "1\n", mine: "1\n", staged: "1\n" });
      write(world.repo, { mine: "mine\n", staged: "staged\n", untracked: "u\n" });
      world.git("add", "staged");
      await committed(world, `${long}ours\n`);
      await committed(world, `${long}ours\nagain\n`);
      world.others({ a: `theirs\n${long}`, b: "2\n", "in/new": "n\n" });
      const { pushed, codes } = await push(world);
      assert.deepEqual([pushed, codes], [true, []]);
      const a = `theirs\n${long}ours\nagain\n`;
      assert.deepEqual(world.remoteFiles(), { a, b: "2\n", "in/new": "n\n", mine: "1\n", staged: "1\n" });
      assert.equal(world.git("rev-parse", "HEAD"), git(world.remote, "rev-parse", "main"));
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
  for (const name of ["données", "a[b]*?\\"])
    it(`refuses rules that came in below ${name}`, () =>
      withFolder(async (folder) => {
        const world = makeGitWorld(folder, { a: "1\n", [`${name}/b`]: "1\n" });
        await committed(world);
        world.others({ [`${name}/.gitattributes`]: "* eol=crlf\n" });
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
    "a merge is not pushed yet": [
      (world) => {
        const words = "x\n\nTask-Phase-Task: T-1";
        world.git("switch", "-qc", "side", "HEAD^");
        world.git("commit", "-q", "--allow-empty", "-m", words);
        world.git("switch", "-q", "main");
        world.git("merge", "-q", "--no-ff", "-m", words, "side");
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
});

describe("pushing signed commits", { skip: withoutSsh }, () => {
  it("signs again what it made again, and nothing that only says to be of a pass", () =>
    withFolder(async (folder) => {
      const world = makeGitWorld(folder, { a: "1\n", b: "1\n", c: "1\n" });
      const signer = makeSigner(folder, "runner");
      const other = makeSigner(folder, "other");
      const make = async (path: string, by: Signer | null) => {
        write(world.repo, { [path]: "ours\n" });
        await commitPaths({ ...commitRequest(world.repo, world.scratch, [path]), signer: by });
      };
      await make("a", signer);
      await make("b", other);
      await make("c", signer);
      world.others({ d: "theirs\n" });
      const before = world.git("rev-parse", "HEAD");
      const { pushed, codes } = await push(world, { signer: async () => signer });
      assert.deepEqual([pushed, codes], [true, []]);
      assert.notEqual(world.git("rev-parse", "HEAD"), before);
      const place = findGitPlace(world.repo) as GitPlace;
      const made = world.git("rev-list", "--reverse", "-3", "HEAD").trim().split("\n");
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
