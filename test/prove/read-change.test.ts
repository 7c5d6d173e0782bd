import assert from "node:assert/strict";
import { mkdirSync, readFileSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { takeFingerprint } from "../../lib/git/fingerprint.ts";
import { findGitPlace } from "../../lib/git/place.ts";
import { readChange } from "../../lib/prove/read-change.ts";
import { sha256 } from "../../lib/text/sha256.ts";
import { git, gitEnv, makeRepo, write } from "../git/git-repo.ts";
import { withFolder } from "../store/temporary-folder.ts";

interface Change {
  readonly repo: string;
  read(base?: string): ReturnType<typeof readChange>;
}

/** A repo with these files committed, in which something is changed. */
async function withChange(files: Readonly<Record<string, string>>, run: (change: Change) => Promise<void>) {
  await withFolder(async (folder) => {
    const repo = join(folder, "repo");
    makeRepo(repo, files);
    const env = { ...gitEnv, HOME: folder };
    let count = 0;
    await run({
      repo,
      read: async (base = git(repo, "rev-parse", "HEAD").trim()) => {
        const place = findGitPlace(repo);
        assert(place !== null);
        count += 1;
        const own = join(folder, `run-${count}`);
        mkdirSync(own);
        return await readChange({
          place,
          base,
          fingerprint: await takeFingerprint(repo, [], env),
          leaveOut: [],
          env,
          folder: own,
        });
      },
    });
  });
}

test("commits, staged, untracked, deleted and linked files are a change alike, and ignored ones are none", () =>
  withChange(
    { "a.js": "1\n", "b.js": "1\n", "old.js": "1\n", "ünï.txt": "a\n", ".gitignore": "local\n" },
    async ({ repo, read }) => {
      const base = git(repo, "rev-parse", "HEAD").trim();
      write(repo, { "a.js": "2\n" });
      git(repo, "commit", "-q", "-a", "-m", "work");
      write(repo, { "b.js": "2\n" });
      git(repo, "add", "-A");
      write(repo, { "new file.txt": "x\n", "ünï.txt": "b\n", "local/x": "" });
      git(repo, "rm", "-q", "old.js");
      symlinkSync("a.js", join(repo, "link.js"));
      const change = await read(base);
      assert.deepEqual(change.paths, ["a.js", "b.js", "link.js", "new file.txt", "old.js", "ünï.txt"]);
      assert.deepEqual((await read()).paths.includes("a.js"), false);
      assert.equal(change.now.entries.has("local/x"), false);
      assert.equal(change.origin.entries.has("old.js"), true);
    },
  ));

test("a file whose name is no UTF-8 is changed like any other, committed or not", () =>
  withChange({ "a.js": "1\n" }, async ({ repo, read }) => {
    const path = Buffer.concat([Buffer.from(`${repo}/`), Buffer.from("n\xe4me.txt", "latin1")]);
    writeFileSync(path, "1\n");
    git(repo, "add", "-A");
    git(repo, "commit", "-q", "-m", "name");
    const base = git(repo, "rev-parse", "HEAD").trim();
    writeFileSync(path, "2\n");
    assert.deepEqual((await read(base)).paths, ["//n\\xe4me.txt"]);
    git(repo, "commit", "-q", "-a", "-m", "work");
    assert.deepEqual((await read(base)).paths, ["//n\\xe4me.txt"]);
  }));

test("a tree that is as committed is no change", () =>
  withChange({ "a.js": "1\n" }, async ({ read }) => assert.deepEqual((await read()).paths, [])));

test("the bytes of the base can be read, also where the working tree no longer has them", () =>
  withChange({ "a.js": "1\n", "b.js": "same\n" }, async ({ repo, read }) => {
    symlinkSync("a.js", join(repo, "link"));
    git(repo, "add", "-A");
    git(repo, "commit", "-q", "-m", "link");
    write(repo, { "a.js": "2\n" });
    const { origin } = await read();
    const bytes = (path: string) => {
      const digest = origin.entries.get(path)?.split(" ")[2] ?? "";
      return readFileSync(origin.blobPath(digest), "utf8");
    };
    assert.deepEqual([bytes("a.js"), bytes("b.js"), bytes("link")], ["1\n", "same\n", "a.js"]);
  }));

test("Windows line endings that git keeps are no change", () =>
  withChange({ ".gitattributes": "*.js text eol=crlf\n", "a.js": "1\n", "b.js": "1\n" }, async ({ repo, read }) => {
    write(repo, { "a.js": "1\r\n", "b.js": "2\r\n" });
    assert.deepEqual((await read()).paths, ["b.js"]);
  }));

test("files that a sparse checkout leaves out are no change, and are handed over as the index has them", () =>
  withChange({ "a/x.js": "1\n", "b/y.js": "1\n", "b/z.js": "1\n" }, async ({ repo, read }) => {
    const base = git(repo, "rev-parse", "HEAD").trim();
    write(repo, { "b/z.js": "2\n" });
    git(repo, "commit", "-q", "-a", "-m", "work");
    git(repo, "sparse-checkout", "set", "--cone", "a");
    write(repo, { "a/x.js": "2\n" });
    const { paths, now } = await read(base);
    assert.deepEqual(paths, ["a/x.js", "b/z.js"]);
    assert.deepEqual([...now.entries.keys()], ["a/x.js", "b/y.js", "b/z.js"]);
  }));

test("a filter program hides no work: what it stores is what a colleague gets", () =>
  withChange({ "a.js": "1\n", "b.js": "1\n" }, async ({ repo, read }) => {
    git(repo, "config", "filter.keep.clean", "echo 1; cat > /dev/null");
    write(repo, { ".gitattributes": "a.js filter=keep\n", "a.js": "2\n", "b.js": "2\n" });
    assert.deepEqual((await read()).paths, [".gitattributes", "b.js"]);
  }));

test("what git sees no change of is none, whatever filter program makes it", () =>
  withChange({ "b.js": "1\n" }, async ({ repo, read }) => {
    git(repo, "config", "filter.turn.clean", "tr a-z n-za-m");
    write(repo, { ".gitattributes": "secret* filter=turn\n", "secret.txt": "hello\n", "secret-2.txt": "hello\n" });
    git(repo, "add", "-A");
    git(repo, "commit", "-q", "-m", "secrets");
    write(repo, { "b.js": "2\n" });
    const names = async () => {
      const { paths, delivery } = await read();
      return [paths, delivery.undelivered.map(({ path }) => path)];
    };
    assert.deepEqual(await names(), [["b.js"], []]);
    write(repo, { "secret.txt": "other\n" });
    assert.deepEqual(await names(), [["b.js"], ["secret.txt"]]);
    git(repo, "update-index", "--assume-unchanged", "secret.txt");
    assert.deepEqual(await names(), [["b.js"], ["secret.txt"]], "hidden");
  }));

test("a file of git-lfs is held against what git-lfs keeps of the base, or named", () =>
  withChange({ ".gitattributes": "*.bin filter=lfs\n" }, async ({ repo, read }) => {
    const pointer = `printf 'version https://git-lfs.github.com/spec/v1\\noid sha256:%s\\nsize 4\\n'`;
    git(repo, "config", "filter.lfs.clean", `${pointer} $(sha256sum | cut -c 1-64)`);
    write(repo, { "a.bin": "one\n", "b.bin": "one\n", "c.bin": "one\n" });
    git(repo, "add", "-A");
    git(repo, "commit", "-q", "-m", "data");
    const base = git(repo, "rev-parse", "HEAD").trim();
    const digest = sha256("one\n");
    const kept = `.git/lfs/objects/${digest.slice(0, 2)}/${digest.slice(2, 4)}/${digest}`;
    write(repo, { "a.bin": "two\n" });
    unlinkSync(join(repo, "b.bin"));
    const look = async () => {
      const { paths, origin, delivery } = await read(base);
      const entry = origin.entries.get("a.bin")?.split(" ")[2] ?? "";
      const was = readFileSync(origin.blobPath(entry), "utf8");
      return { paths, was, not: delivery.undelivered.map(({ path }) => path) };
    };
    assert.deepEqual(await look(), { paths: ["b.bin"], was: "two\n", not: ["a.bin", "b.bin"] });
    write(repo, { [kept]: "one\n" });
    assert.deepEqual(await look(), { paths: ["a.bin", "b.bin"], was: "one\n", not: [] });
    git(repo, "commit", "-q", "-a", "-m", "work");
    assert.deepEqual(await look(), { paths: ["a.bin", "b.bin"], was: "one\n", not: [] }, "committed");
    write(repo, { [kept]: "else\n" });
    assert.deepEqual((await look()).not, ["a.bin", "b.bin"], "not the bytes that the pointer names");
    write(repo, { "a.bin": git(repo, "show", "HEAD:a.bin") });
    const { was, not } = await look();
    assert.deepEqual([was, not], [git(repo, "show", `${base}:a.bin`), ["b.bin"]], "pointers in both");
    write(repo, { ".gitattributes": "", [kept]: "one\n", "a.bin": "two\n" });
    git(repo, "commit", "-q", "-a", "-m", "plain files");
    const left = { paths: [".gitattributes", "a.bin", "b.bin"], was: "one\n", not: [] };
    assert.deepEqual(await look(), left, "the work takes them out of git-lfs");
    unlinkSync(join(repo, kept));
    assert.deepEqual((await look()).not, ["a.bin", "b.bin"]);
  }));

test("a repository inside the repo is no part of the change", () =>
  withChange({ "a.js": "1\n" }, async ({ repo, read }) => {
    makeRepo(join(repo, "inner"), { "x.js": "1\n" });
    write(repo, { "a.js": "2\n" });
    const { paths, noCode } = await read();
    assert.deepEqual([paths, noCode.nested], [["a.js"], ["inner"]]);
  }));
