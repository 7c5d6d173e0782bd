import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { test } from "node:test";
import { copyCarried, findCarried, listCarried, missingEntries } from "../../../lib/checks/proof/carry.ts";
import { refusing } from "../../store/refused-calls.ts";
import { listTree, makeProofWorld, type ProofWorld } from "./arrange.ts";

const names = ["node_modules", "vendor"];

function carry(world: ProofWorld, folder: string, listed: ReadonlySet<string> = new Set()) {
  return copyCarried({ repo: world.repo, folder, target: world.path("copy"), listed, pins: null, signal: null });
}

test("folders and files that git ignores are found beside listed files at any depth, and by their path", async (t) => {
  const world = makeProofWorld(t, { "a.txt": "", "packages/one/src/a.js": "", ".gitignore": "node_modules\nvendor\n" });
  for (const file of ["node_modules/p/x.js", "node_modules/p/node_modules/q/x.js", "packages/one/node_modules/r/x.js"])
    world.write(`my repo/${file}`, "");
  world.write("my repo/build/out/lib/x.js", "");
  world.write("my repo/vendor", "a file\n");
  const listed = (await world.contents()).keys();
  assert.deepEqual(findCarried(world.repo, [...listed], [...names, "build/out/", "no/such"]), [
    "build/out",
    "node_modules",
    "packages/one/node_modules",
    "vendor",
  ]);
});

test("a name that matches something at any depth, or as a path, is not missing", async (t) => {
  const world = makeProofWorld(t, { "packages/one/src/a.js": "", ".gitignore": "node_modules\nbuild\n" });
  for (const file of ["packages/one/node_modules/r/x.js", "build/out/lib/x.js"]) world.write(`my repo/${file}`, "");
  const listed = (await world.contents()).keys();
  assert.deepEqual(missingEntries(world.repo, [...listed], ["node_modules/", "build/out", "vendor"]), ["vendor"]);
});

test("files that git lists are content: they are not carried, and those of the copy stay", async (t) => {
  const world = makeProofWorld(t, { "vendor/a.js": "new\n" });
  world.write("my repo/vendor/planted.js", "new\n");
  world.write("my repo/vendor/ignored.js", "ignored\n");
  world.write("copy/vendor/a.js", "as at pass 1\n");
  assert.equal((await carry(world, "vendor", new Set(["vendor/a.js", "vendor/planted.js"]))).problem, null);
  assert.deepEqual(listTree(world.path("copy")), {
    "vendor/a.js": "file 644 as at pass 1\n",
    "vendor/ignored.js": "file 644 ignored\n",
  });
});

test("a carried file keeps its time, so that make sees what is older than the sources of the copy", async (t) => {
  const world = makeProofWorld(t, { ".gitignore": "vendor\n" });
  world.write("my repo/vendor/a.o", "");
  const built = new Date(1_600_000_000_000);
  utimesSync(world.path("my repo/vendor/a.o"), built, built);
  await carry(world, "vendor");
  assert.deepEqual(statSync(world.path("copy/vendor/a.o")).mtime, built);
});

test("the results that a task runner keeps to replay are not carried, and other caches are", async (t) => {
  const world = makeProofWorld(t, {});
  for (const file of [".cache/turbo/a.tar", ".cache/nx/b/code", ".cache/server/program", "nx/index.js"])
    world.write(`my repo/packages/one/node_modules/${file}`, "");
  assert.equal((await carry(world, "packages/one/node_modules")).problem, null);
  assert.deepEqual(Object.keys(listTree(world.path("copy"))).sort(), [
    "packages/one/node_modules/.cache/server/program",
    "packages/one/node_modules/nx/index.js",
  ]);
});

test("what tsc keeps of its last build is not carried, and a file of a package is", async (t) => {
  const world = makeProofWorld(t, {});
  for (const file of [
    "a.tsbuildinfo",
    ".tmp/tsconfig.app.tsbuildinfo",
    ".cache/ts/a.tsbuildinfo",
    "one/dist/a.tsbuildinfo",
  ])
    world.write(`my repo/node_modules/${file}`, "");
  assert.equal((await carry(world, "node_modules")).problem, null);
  assert.deepEqual(Object.keys(listTree(world.path("copy"))), ["node_modules/one/dist/a.tsbuildinfo"]);
});

test("a link into the repo leads into the copy, by whatever name, and one that leaves leads where it led", async (t) => {
  const world = makeProofWorld(t, { "packages/one/index.js": "one\n" });
  world.write("outside/python", "");
  world.link(world.repo, "alias");
  for (const [name, target] of [
    [".bin/one", "../../packages/one/index.js"],
    ["one", "../packages/one"],
    ["absolute", world.path("my repo/packages/one")],
    ["aliased", world.path("alias/packages/one")],
    ["aliased-gone", world.path("alias/packages/none")],
    ["@scope/self", "../.."],
    ["python", world.path("outside/python")],
    ["relative-out", "../../outside/python"],
  ] as const)
    world.link(target, `my repo/node_modules/${name}`);
  const copied = world.write("copy/packages/one/index.js", "one\n");
  assert.equal((await carry(world, "node_modules")).problem, null);
  const copy = world.path("copy");
  for (const [name, target] of [
    [".bin/one", copied],
    ["one", `${copy}/packages/one`],
    ["absolute", `${copy}/packages/one`],
    ["aliased", `${copy}/packages/one`],
    ["@scope/self", copy],
    ["python", world.path("outside/python")],
    ["relative-out", world.path("outside/python")],
  ] as const)
    assert.equal(realpathSync(`${copy}/node_modules/${name}`), target, name);
  assert.equal(readlinkSync(`${copy}/node_modules/aliased-gone`), "../packages/none");
  writeFileSync(`${copy}/node_modules/aliased/index.js`, "written in the copy\n");
  assert.equal(world.read("my repo/packages/one/index.js"), "one\n");
});

test("a write in the copy never reaches the repo, and executable bits are kept", async (t) => {
  const world = makeProofWorld(t, { "a.txt": "" });
  world.write("my repo/node_modules/.bin/run", "#!/bin/sh\n");
  world.makeExecutable("my repo/node_modules/.bin/run");
  writeFileSync(Buffer.concat([Buffer.from(`${world.repo}/node_modules/`), Buffer.from([0xff])]), "bytes");
  assert.equal((await carry(world, "node_modules")).problem, null);
  world.write("copy/node_modules/.bin/run", "changed\n");
  assert.equal(world.read("my repo/node_modules/.bin/run"), "#!/bin/sh\n");
  assert.deepEqual(listTree(world.path("copy")), {
    "node_modules/.bin/run": "file 755 changed\n",
    "node_modules/\xff": "file 644 bytes",
  });
});

test("a folder of dependencies that is itself a link comes along as a link", async (t) => {
  const world = makeProofWorld(t, { "a.txt": "", ".gitignore": "node_modules\n" });
  world.write("shared/node_modules/p/index.js", "p\n");
  world.link("../shared/node_modules", "my repo/node_modules");
  world.write("copy/a.txt", "");
  assert.deepEqual(findCarried(world.repo, ["a.txt"], names), ["node_modules"]);
  // A rule for folders alone lets git list it, and nobody commits it.
  assert.equal((await carry(world, "node_modules", new Set(["node_modules"]))).problem, null);
  assert.equal(realpathSync(world.path("copy/node_modules")), world.path("shared/node_modules"));
});

test("a file named in `carry` comes along, unless its pin has other bytes", async (t) => {
  const world = makeProofWorld(t, {});
  world.write("my repo/conf/.env", "KEY=1\n");
  const carry = (target: string, holds: boolean | null) => {
    mkdirSync(world.path(target));
    const pins = holds === null ? null : { holds: () => holds };
    const where = { repo: world.repo, folder: "conf/.env", target: world.path(target) };
    return copyCarried({ ...where, listed: new Set<string>(), pins, signal: null });
  };
  assert.deepEqual(await carry("free", null), { problem: null, leftOut: [] });
  assert.deepEqual(await carry("held", true), { problem: null, leftOut: [] });
  assert.deepEqual(await carry("changed", false), { problem: null, leftOut: ["conf/.env"] });
  const files = ["free", "held", "changed"].map((name) => listTree(world.path(name)));
  assert.deepEqual(files, [{ "conf/.env": "file 644 KEY=1\n" }, { "conf/.env": "file 644 KEY=1\n" }, {}]);
  const listed = [...listCarried(world.repo, "conf/.env"), ...listCarried(world.repo, "conf")].map(String);
  assert.deepEqual(listed, ["conf/.env", "conf/.env"]);
});

test("a file or a link in the copy is no folder to carry into", async (t) => {
  const world = makeProofWorld(t, { "a.txt": "" });
  world.write("my repo/vendor/x.js", "x\n");
  world.write("my repo/node_modules/p/x.js", "x\n");
  world.write("copy/vendor", "a file\n");
  world.write("copy/lib/kept.js", "");
  world.link("lib", "copy/node_modules");
  const nothing = { problem: null, leftOut: [] };
  assert.deepEqual([await carry(world, "vendor"), await carry(world, "node_modules")], [nothing, nothing]);
  assert.deepEqual(Object.keys(listTree(world.path("copy"))).sort(), ["lib/kept.js", "node_modules", "vendor"]);
});

test("a folder that is too large is refused with the reason, and pipes in one are passed over", async (t) => {
  const world = makeProofWorld(t, {});
  world.write("my repo/vendor/a.js", "a\n");
  execFileSync("mkfifo", [world.path("my repo/vendor/pipe")]);
  assert.deepEqual(await carry(world, "vendor"), { problem: null, leftOut: [] });
  assert.deepEqual(listTree(world.path("copy")), { "vendor/a.js": "file 644 a\n" });
  // Sparse: it takes no room on the disk.
  world.write("my repo/vendor/large", "");
  truncateSync(world.path("my repo/vendor/large"), 4 * 1024 ** 3 + 1);
  assert.deepEqual(await carry(world, "vendor"), { problem: "vendor has more than 4096 MiB", leftOut: [] });
});

test("a file that is gone or may not be read is passed over, and a full disk is an error", async (t) => {
  const world = makeProofWorld(t, {});
  world.write("my repo/vendor/a.js", "a\n");
  world.write("my repo/vendor/d/b.js", "b\n");
  const copied = async (name: "copyFileSync" | "readdirSync" | "symlinkSync", code: string, what: RegExp) => {
    rmSync(world.path("copy"), { recursive: true, force: true });
    mkdirSync(world.path("copy"));
    await refusing(name, code, what, () => carry(world, "vendor"));
    return Object.keys(listTree(world.path("copy"))).sort();
  };
  for (const code of ["EEXIST", "EACCES", "ENOENT"])
    assert.deepEqual(await copied("copyFileSync", code, /a\.js$/), ["vendor/d/b.js"]);
  assert.deepEqual(await copied("readdirSync", "EACCES", /vendor\/d$/), ["vendor/a.js"]);
  world.link("a.js", "my repo/vendor/link");
  for (const code of ["EEXIST", "ENOENT"])
    assert.deepEqual(await copied("symlinkSync", code, /./), ["vendor/a.js", "vendor/d/b.js"]);
  await assert.rejects(copied("symlinkSync", "EACCES", /./), { message: /^cannot copy .*link: permission is denied/ });
  await assert.rejects(copied("copyFileSync", "ENOSPC", /a\.js$/), {
    message: /^cannot copy .*a\.js: the disk is full/,
  });
  await assert.rejects(copied("readdirSync", "EIO", /vendor\/d$/), { message: /^cannot read .*vendor\/d/ });
});

test("a large folder can be aborted while it is copied", async (t) => {
  const world = makeProofWorld(t, {});
  for (let at = 0; at < 130; at += 1) world.write(`my repo/vendor/${at}.js`, "");
  const controller = new AbortController();
  setImmediate(() => controller.abort());
  const request = { repo: world.repo, folder: "vendor", target: world.path("copy"), listed: new Set<string>() };
  await copyCarried({ ...request, pins: null, signal: controller.signal });
  assert.equal(Object.keys(listTree(world.path("copy"))).length, 63);
});

test("a virtual environment in a copy leads to the copy, and its other files are as they were", async (t) => {
  const world = makeProofWorld(t, { "a.txt": "" });
  const site = "my repo/.venv/lib/python3.11/site-packages";
  const [repo, copy] = [world.repo, world.path("copy")];
  world.write(`${site}/__editable__.shop.pth`, `${repo}/src\n`);
  world.write(`${site}/__editable___shop_finder.py`, `MAPPING = {"shop": "${repo}/src/shop"}\n`);
  world.write(`${site}/shop.egg-link`, `${repo}\n.`);
  world.write(`${site}/other/data.py`, `at = "${repo}/src"\n`);
  world.write("my repo/.venv/pyvenv.cfg", `command = python -m venv ${repo}/.venv\n`);
  world.write("my repo/.venv/bin/pytest", `#!${repo}/.venv/bin/python3\n`);
  chmodSync(world.path("my repo/.venv/bin/pytest"), 0o555);
  assert.deepEqual(await carry(world, ".venv"), { problem: null, leftOut: [] });
  assert.deepEqual(listTree(copy), {
    ".venv/bin/pytest": `file 555 #!${copy}/.venv/bin/python3\n`,
    ".venv/lib/python3.11/site-packages/__editable__.shop.pth": `file 644 ${copy}/src\n`,
    ".venv/lib/python3.11/site-packages/__editable___shop_finder.py": `file 644 MAPPING = {"shop": "${copy}/src/shop"}\n`,
    ".venv/lib/python3.11/site-packages/other/data.py": `file 644 at = "${repo}/src"\n`,
    ".venv/lib/python3.11/site-packages/shop.egg-link": `file 644 ${copy}\n.`,
    ".venv/pyvenv.cfg": `file 644 command = python -m venv ${copy}/.venv\n`,
  });
});

test("a disk that takes no folder is a failure of the disk", async (t) => {
  const world = makeProofWorld(t, { ".gitignore": "node_modules\n" });
  world.write("my repo/node_modules/p/index.js", "");
  await refusing("mkdirSync", "EIO", /copy/, () =>
    assert.rejects(carry(world, "node_modules"), { message: /^cannot make the folder .*copy.*: / }),
  );
});
