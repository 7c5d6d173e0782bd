import assert from "node:assert/strict";
import { chmodSync, existsSync, rmSync, statSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { type CopyContents, type CopyRequest, makeCopy } from "../../../lib/checks/proof/clean-copy.ts";
import type { Origin } from "../../../lib/task/origin.ts";
import { sha256 } from "../../../lib/text/sha256.ts";
import { listTree, makeProofWorld, type ProofWorld } from "./arrange.ts";

function copy(
  world: ProofWorld,
  contents: CopyContents,
  origin: Origin | null = null,
  signal: AbortSignal | null = null,
  more: Partial<CopyRequest> = {},
) {
  const target = world.path("copy/tree");
  return makeCopy({ repo: world.repo, origin, blobs: null, contents, target, signal, ...more });
}

test("a copy holds exactly what git lists, byte for byte", async (t) => {
  const world = makeProofWorld(t, {
    "crlf.txt": "one\r\ntwo\r\n",
    "a b/ü 'x'.txt": "odd\n",
    "-dash\n.txt": "newline in its name\n",
    "run.sh": "#!/bin/sh\n",
    "empty.txt": "",
    ".gitignore": "*.log\nnode_modules\n",
  });
  world.makeExecutable("my repo/run.sh");
  writeFileSync(Buffer.concat([Buffer.from(`${world.repo}/`), Buffer.from([0x6e, 0xff, 0xfe])]), "bytes");
  world.write("my repo/new.txt", "untracked\n");
  world.write("my repo/x.log", "ignored\n");
  world.write("my repo/node_modules/p/index.js", "ignored\n");
  assert.deepEqual(await copy(world, await world.contents()), { kind: "made", leftOut: [] });
  assert.deepEqual(listTree(world.path("copy/tree")), {
    "crlf.txt": "file 644 one\r\ntwo\r\n",
    [Buffer.from("a b/ü 'x'.txt").toString("latin1")]: "file 644 odd\n",
    "-dash\n.txt": "file 644 newline in its name\n",
    "run.sh": "file 755 #!/bin/sh\n",
    "empty.txt": "file 644 ",
    ".gitignore": "file 644 *.log\nnode_modules\n",
    "n\xff\xfe": "file 644 bytes",
    "new.txt": "file 644 untracked\n",
  });
  assert.equal(statSync(world.path("copy/tree")).mode & 0o777, 0o700);
});

test("files of a nested repository are copied, and nothing of either .git is", async (t) => {
  const world = makeProofWorld(t, { "a.txt": "a\n" });
  world.initRepo({ "inner.txt": "inner\n" }, "my repo/nested");
  assert.deepEqual(await copy(world, await world.contents()), { kind: "made", leftOut: [] });
  assert.deepEqual(Object.keys(listTree(world.path("copy/tree"))).sort(), ["a.txt", "nested/inner.txt"]);
});

test("a folder without git is copied whole", async (t) => {
  const world = makeProofWorld(t, { "a.txt": "a\n" });

  rmSync(world.path("my repo/.git"), { recursive: true });
  assert.deepEqual(await copy(world, await world.contents()), { kind: "made", leftOut: [] });
  assert.deepEqual(listTree(world.path("copy/tree")), { "a.txt": "file 644 a\n" });
});

test("links that stay are kept, and those that leave, pipes and unreadable files are named", async (t) => {
  const world = makeProofWorld(t, { "file.txt": "real\n" });
  world.write("secret.txt", "outside\n");
  for (const [name, target] of [
    ["near", "file.txt"],
    ["d/up", "../file.txt"],
    ["gone", "nothing"],
    ["absolute", world.path("my repo/file.txt")],
    ["out", "../secret.txt"],
    ["d/out", "../../secret.txt"],
    ["through", "d/../../secret.txt"],
  ] as const)
    world.link(target, `my repo/${name}`);
  const contents = new Map(await world.contents());
  contents.set("pipe", { entry: "special 1 -", from: "repo" });
  contents.set("closed", { entry: "unreadable 8 -", from: "repo" });
  contents.set("sub", { entry: "folder - -", from: "repo" });
  const outcome = await copy(world, contents);
  assert(outcome.kind === "made");
  assert.deepEqual([...outcome.leftOut].sort(), ["absolute", "closed", "d/out", "out", "pipe", "sub", "through"]);
  assert.deepEqual(listTree(world.path("copy/tree")), {
    "file.txt": "file 644 real\n",
    near: "link file.txt",
    "d/up": "link ../file.txt",
    gone: "link nothing",
  });
});

test("a file that is not the one of the fingerprint any more is refused by name", async (t) => {
  const world = makeProofWorld(t, { "a.txt": "a\n", "b.txt": "b\n" });
  const contents = await world.contents();
  const refused = { kind: "refused", reason: "b.txt changed while it was copied" };
  world.write("my repo/b.txt", "c\n");
  assert.deepEqual(await copy(world, contents), refused);

  rmSync(world.path("copy"), { recursive: true });
  rmSync(world.path("my repo/b.txt"));
  world.link("a.txt", "my repo/b.txt");
  assert.deepEqual(await copy(world, contents), refused);
});

test("a file that cannot be read any more is refused by name", { skip: process.geteuid?.() === 0 }, async (t) => {
  const world = makeProofWorld(t, { "a.txt": "a\n" });
  const contents = await world.contents();
  chmodSync(world.path("my repo/a.txt"), 0);
  assert.deepEqual(await copy(world, contents), { kind: "refused", reason: "a.txt changed while it was copied" });
});

test("files of pass 1 come from its copy, and a damaged copy is refused by name", async (t) => {
  const world = makeProofWorld(t, { "a.txt": "first\n", "b.txt": "b\n" });
  const origin = await world.origin();
  const contents = new Map(await world.contents());
  contents.set("a.txt", { entry: origin.entries.get("a.txt") ?? "", from: "origin" });
  world.write("my repo/a.txt", "second\n");
  assert.equal((await copy(world, contents, origin)).kind, "made");
  assert.equal(world.read("copy/tree/a.txt"), "first\n");
  writeFileSync(origin.blobPath(sha256("first\n")), "forged\n");
  const again = await makeCopy({
    repo: world.repo,
    origin,
    blobs: null,
    contents,
    target: world.path("again"),
    signal: null,
  });
  assert.deepEqual(again, { kind: "refused", reason: "the copy of a.txt is gone or damaged" });
});

test("a copy may hold a gigabyte, with what it already has", async (t) => {
  const world = makeProofWorld(t, { "a.txt": "a\n", "b.txt": "b\n" });
  const contents = await world.contents();
  const holding = (bytes: number) =>
    copy(world, contents, null, null, { held: (path) => (path === "a.txt" ? bytes : null) });
  assert.equal((await holding(2 ** 30 - 2)).kind, "made");
  rmSync(world.path("copy"), { recursive: true });
  assert.equal((await holding(2 ** 30 - 1)).kind, "refused");
});

test("files as git wrote them come from their store, never from the repo", async (t) => {
  const world = makeProofWorld(t, { "a.txt": "a\n" });
  const blobs = world.path("blobs");
  world.write(`blobs/${sha256("as git has it\n")}`, "as git has it\n");
  const entry = { entry: `file 644 ${sha256("as git has it\n")}`, from: "git" } as const;
  const made = await copy(world, new Map([["a.txt", entry]]), null, null, { blobs });
  assert.equal(made.kind, "made");
  assert.deepEqual(listTree(world.path("copy/tree")), { "a.txt": "file 644 as git has it\n" });
});

test("a path that is a file in one version and a folder in the other is refused, whichever comes first", async (t) => {
  const world = makeProofWorld(t, { "a/b.txt": "b\n", other: "o\n" });
  const present = await world.contents();
  const file = present.get("other");
  assert(file !== undefined);
  const refused = { kind: "refused", reason: "a is a folder in one version but not in the other" };
  assert.deepEqual(await copy(world, new Map([...present, ["a", file]])), refused);
  assert.deepEqual(await copy(world, new Map([["a", file], ...present])), refused);
  const link = { entry: `link - ${sha256("elsewhere")}`, from: "repo" } as const;
  assert.deepEqual(await copy(world, new Map([["a", link], ...present])), refused);
  const odd = "//a/\\xff";
  const oddFirst: CopyContents = new Map([
    [odd, file],
    ["a", file],
  ]);
  assert.deepEqual(await copy(world, oddFirst), refused);
});

test("an abort ends the copy, and a folder that cannot be written to is an error of the disk", async (t) => {
  const world = makeProofWorld(t, { "a.txt": "a\n" });
  const contents = await world.contents();
  assert.deepEqual(await copy(world, contents, null, AbortSignal.abort("SIGTERM")), { kind: "aborted" });
  world.write("copy/tree/a.txt", "there already\n");
  await assert.rejects(copy(world, contents), /cannot copy .*a\.txt/);
  assert.equal(existsSync(world.path("copy/tree/a.txt")), true);
});

test("a path that is a file in one version and a folder above another is refused, however deep", async (t) => {
  const world = makeProofWorld(t, { "a/b/c/d.txt": "d\n", "a/b/c/e.txt": "e\n" });
  const contents = await world.contents();
  const entry = contents.get("a/b/c/d.txt") ?? assert.fail();
  const reason = (path: string, kind = entry.entry) =>
    copy(world, new Map([...contents, [path, { ...entry, entry: kind }]])).then((made) =>
      made.kind === "refused" ? made.reason : made.kind,
    );
  for (const path of ["a", "a/b", "a/b/c"])
    assert.equal(await reason(path), `${path} is a folder in one version but not in the other`);
  assert.equal(await reason("a", "folder 755"), "made");
});

test("a file or a link of pass 1 whose bytes are gone refuses the copy", async (t) => {
  const world = makeProofWorld(t, { "a.txt": "a\n" });
  world.link("a.txt", "my repo/link");
  const origin = await world.origin();
  const contents = new Map(
    [...(await world.contents())].map(([path, one]) => [path, { ...one, from: "origin" as const }]),
  );
  const made = async () => {
    rmSync(world.path("copy"), { recursive: true, force: true });
    const outcome = await copy(world, contents, origin);
    return outcome.kind === "refused" ? outcome.reason : outcome.kind;
  };
  assert.equal(await made(), "made");
  rmSync(origin.blobPath(sha256("a.txt")));
  assert.equal(await made(), "the copy of link is gone or damaged");
  writeFileSync(origin.blobPath(sha256("a.txt")), "b.txt");
  assert.equal(await made(), "the copy of link is gone or damaged");
  writeFileSync(origin.blobPath(sha256("a.txt")), "a.txt");
  rmSync(origin.blobPath(sha256("a\n")));
  assert.equal(await made(), "the copy of a.txt is gone or damaged");
});

test("a large copy can be aborted while it is made, and one that cannot be written is an error of the disk", async (t) => {
  const names = Array.from({ length: 130 }, (_, at) => [`${at}.txt`, `${at}\n`] as const);
  const world = makeProofWorld(t, Object.fromEntries(names));
  const contents = await world.contents();
  const controller = new AbortController();
  setImmediate(() => controller.abort());
  assert.deepEqual(await copy(world, contents, null, controller.signal), { kind: "aborted" });
  assert.equal(Object.keys(listTree(world.path("copy/tree"))).length, 63);
  rmSync(world.path("copy"), { recursive: true });
  world.write("copy", "a file");
  await assert.rejects(copy(world, contents), { message: /^cannot make the folder .*copy\/tree: a part of the path/ });
});
