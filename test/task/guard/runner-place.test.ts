import assert from "node:assert/strict";
import fs, { mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { findRunnerPaths, guardRunner, type Installation } from "../../../lib/task/guard/runner-place.ts";
import { TaskPhaseError } from "../../../lib/text/errors.ts";
import { sha256 } from "../../../lib/text/sha256.ts";
import { makeFolder } from "../../process/arrange.ts";
import { refusing } from "../../store/refused-calls.ts";
import { type GuardedTask, guardTask } from "./arrange.ts";

/** A repo, a tasks root beside it, and a package manager's work below them. */
function arrange(t: TestContext) {
  const folder = realpathSync(makeFolder(t));
  const put = (path: string, text = "") => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  const pack = (path: string, needs: readonly string[] = []) => {
    const dependencies = Object.fromEntries(needs.map((name) => [name, "*"]));
    put(`${path}/package.json`, JSON.stringify({ name: path.split("/").at(-1), dependencies }));
    put(`${path}/dist/main.js`);
  };
  const link = (path: string, to: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    symlinkSync(to, join(folder, path));
  };
  mkdirSync(join(folder, "repo/tasks"), { recursive: true });
  const find = (packageRoot: string, more: Partial<Installation> = {}) => {
    const installation = { packageRoot: join(folder, packageRoot), called: null, node: "/usr/bin/node", ...more };
    const root = join(folder, "repo");
    return findRunnerPaths(root, join(root, "tasks"), installation).map((path) => path.slice(folder.length + 1));
  };
  return { folder, put, pack, link, find };
}

test("a runner that is installed elsewhere has nothing in the repo", (t) => {
  const { pack, find } = arrange(t);
  pack("lib/node_modules/task-phase", ["eta"]);
  pack("lib/node_modules/eta");
  assert.deepEqual(find("lib/node_modules/task-phase"), []);
});

test("under the repo's node_modules it is the package, what it needs however deep, and the links to it", (t) => {
  const { pack, find, link } = arrange(t);
  pack("repo/node_modules/task-phase", ["eta", "yaml", "gone"]);
  pack("repo/node_modules/eta", ["deep"]);
  pack("repo/node_modules/deep", ["eta"]);
  pack("repo/node_modules/task-phase/node_modules/yaml");
  pack("repo/node_modules/other");
  link("repo/node_modules/.bin/task-phase", "../task-phase/bin/task-phase");
  link("repo/node_modules/.bin/other", "../other/dist/main.js");
  const found = find("repo/node_modules/task-phase");
  const at = "repo/node_modules";
  assert.deepEqual(
    found.filter((path) => !path.startsWith(`${at}/task-phase/`)),
    [`${at}/.bin/task-phase`, `${at}/deep`, `${at}/eta`],
  );
  assert.equal(found.includes(`${at}/task-phase/node_modules/yaml`), true);
});

test("a file in the place of node_modules holds no package", (t) => {
  const { put, pack, find } = arrange(t);
  put("node_modules");
  pack("repo/node_modules/task-phase", ["gone"]);
  assert.equal(find("repo/node_modules/task-phase").includes("repo/node_modules/task-phase/package.json"), true);
});

test("links of pnpm are guarded with the folders that they lead to", (t) => {
  const { pack, find, link } = arrange(t);
  const store = "repo/node_modules/.pnpm";
  pack(`${store}/task-phase@1/node_modules/task-phase`, ["eta"]);
  pack(`${store}/eta@4/node_modules/eta`);
  link(`${store}/task-phase@1/node_modules/eta`, "../../eta@4/node_modules/eta");
  link("repo/node_modules/task-phase", ".pnpm/task-phase@1/node_modules/task-phase");
  const found = find(`${store}/task-phase@1/node_modules/task-phase`);
  for (const path of [
    "repo/node_modules/task-phase",
    `${store}/task-phase@1/node_modules/eta`,
    `${store}/eta@4/node_modules/eta`,
  ])
    assert.equal(found.includes(path), true, path);
});

test("a repo that is the runner's own package is refused", (t) => {
  const { pack, find } = arrange(t);
  pack("repo");
  assert.throws(
    () => find("repo"),
    (error) =>
      error instanceof TaskPhaseError && error.exitName === "config" && error.findings[0]?.code === "TP_RUNNER_PLACE",
  );
});

test("a repo inside the checkout of the runner, and a program or Node inside the repo", (t) => {
  const { folder, pack, find, link } = arrange(t);
  pack(".");
  assert.deepEqual(find(".", { packageRoot: folder }), []);
  link("repo/run", "../dist/main.js");
  const called = join(folder, "repo/run");
  assert.deepEqual(find(".", { packageRoot: folder, called, node: join(folder, "repo/node") }), [
    "repo/run",
    "repo/node",
  ]);
});

test("at most 20,000 of the runner's files are watched", (t) => {
  const { pack, find, folder } = arrange(t);
  pack("repo/node_modules/task-phase");
  const dist = join(folder, "repo/node_modules/task-phase/dist");
  const list = fs.readdirSync;
  t.after(() => {
    fs.readdirSync = list;
    syncBuiltinESMExports();
  });
  /** The package.json is one more. */
  const findWith = (count: number) => {
    fs.readdirSync = ((path: string) => (path === dist ? Array(count).fill("main.js") : list(path))) as typeof list;
    syncBuiltinESMExports();
    return find("repo/node_modules/task-phase");
  };
  const found = ["dist", "package.json"].map((name) => `repo/node_modules/task-phase/${name}`);
  assert.deepEqual(findWith(19_999), found);
  assert.throws(() => findWith(20_000), /its installation there has more than 20000 files/);
});

const detail = (more: string) =>
  `the runner itself is installed there${more}; to work on it, install it outside the repo`;

function install(task: GuardedTask) {
  const at = "repo/node_modules/task-phase";
  task.put(`${at}/package.json`, "{}");
  task.put(`${at}/dist/main.js`, "run();\n");
  task.put(`${at}/bin/task-phase`, "go();\n");
  const installation = { packageRoot: join(task.folder, at), called: null, node: "/usr/bin/node" };
  return guardRunner(task.anchor, task.place, task.repo, task.ports, installation);
}

test("a runner that is installed elsewhere is not looked after", (t) => {
  const task = guardTask(t);
  const installation = { packageRoot: join(task.folder, "home"), called: null, node: "/usr/bin/node" };
  assert.equal(guardRunner(task.anchor, task.place, task.repo, task.ports, installation), null);
});

test("a runner inside the repo is put back, and the first file that differs is named", (t) => {
  const task = guardTask(t);
  const guard = install(task) ?? assert.fail("it is inside the repo");
  const keep = join(task.folder, "kept");
  assert.equal(guard.restore("model", keep), null);
  task.put("repo/node_modules/task-phase/dist/main.js", "forged();\n");
  const path = "node_modules/task-phase/dist/main.js";
  const tamper = { path, change: "changed", guard: "runner_file", by: "model", restored: true } as const;
  const onFullDisk = () => refusing("renameSync", "ENOSPC", /./, () => guard.restore("model", keep));
  assert.throws(onFullDisk, /the disk is full/);
  assert.deepEqual(guard.restore("model", keep), { ...tamper, detail: detail("") });
  assert.equal(task.read(`repo/${path}`), "run();\n");
  assert.equal(task.read(`kept/repo/${path}`), "forged();\n");
  task.put("repo/node_modules/task-phase/bin/task-phase", "forged();\n");
  task.put(`repo/${path}`, "forged();\n");
  rmSync(join(task.anchor.folder, "runner", "blobs", sha256("run();\n")));
  assert.deepEqual(guard.restore("validators", keep), {
    ...{ ...tamper, path: "node_modules/task-phase/bin/task-phase", by: "validators", restored: false },
    detail: detail(", and 1 more of its files"),
  });
  assert.equal(task.read("repo/node_modules/task-phase/bin/task-phase"), "go();\n");
});

test("copies of an earlier installation are not kept", (t) => {
  const task = guardTask(t);
  install(task);
  const blob = (text: string) =>
    task.read(join(task.anchor.folder, "runner/blobs", sha256(text)).slice(task.folder.length));
  assert.equal(blob("run();\n"), "run();\n");
  task.put("repo/node_modules/task-phase/dist/main.js", "newer();\n");
  const installation = { packageRoot: join(task.repo, "node_modules/task-phase"), called: null, node: "/usr/bin/node" };
  guardRunner(task.anchor, task.place, task.repo, task.ports, installation);
  assert.deepEqual([blob("run();\n"), blob("newer();\n")], [null, "newer();\n"]);
});
