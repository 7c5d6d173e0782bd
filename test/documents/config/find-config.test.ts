import assert from "node:assert/strict";
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import {
  type ConfigRequest,
  configCandidates,
  findConfig,
  keyPlaces,
  listKeyFiles,
  userConfigFolder,
} from "../../../lib/documents/config/find-config.ts";
import { makeFolder } from "../../process/arrange.ts";

function place(t: Parameters<typeof makeFolder>[0]) {
  const root = realpathSync(makeFolder(t));
  const request: ConfigRequest = {
    ...{ configFlag: null, env: {}, home: join(root, "home"), taskDir: "work/tasks/T-1", cwd: root },
  };
  const write = (name: string) => {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), "");
    return join(root, name);
  };
  return { root, request, write };
}

test("a named path beats what is found, whether it exists or not, and is relative to the current directory", (t) => {
  const { root, request, write } = place(t);
  write("work/task-phase.yaml");
  const env = { TASK_PHASE_CONFIG: "../b.yaml" };
  assert.deepEqual(findConfig({ ...request, configFlag: "a.yaml", env }), { path: join(root, "a.yaml"), by: "flag" });
  assert.deepEqual(findConfig({ ...request, env }), { path: join(dirname(root), "b.yaml"), by: "environment" });
  const empty = { ...request, env: { TASK_PHASE_CONFIG: "" } };
  assert.deepEqual(findConfig(empty), { path: join(root, "work/task-phase.yaml"), by: "folder" });
});

test("the nearest folder above the task counts, before the user's own folder, and a broken link counts too", (t) => {
  const { root, request, write } = place(t);
  assert.equal(findConfig(request), null);
  const own = write("home/.config/task-phase/task-phase.yaml");
  assert.deepEqual(findConfig(request), { path: own, by: "user" });
  write("work/tasks/T-1/task-phase.yaml");
  assert.equal(findConfig(request)?.path, own);
  const far = write("work/task-phase.yaml");
  assert.deepEqual(findConfig(request), { path: far, by: "folder" });
  symlinkSync("nowhere", join(root, "work/tasks/task-phase.yaml"));
  assert.equal(findConfig(request)?.path, join(root, "work/tasks/task-phase.yaml"));
});

test("the candidates are all places up to the file that is found", (t) => {
  const { root, request, write } = place(t);
  const above = ["work/tasks", "work", "."].map((folder) => join(root, folder, "task-phase.yaml"));
  const own = join(root, "home/.config/task-phase/task-phase.yaml");
  const all = configCandidates(request);
  assert.deepEqual([all.slice(0, 3), all.at(-2), all.at(-1)], [above, "/task-phase.yaml", own]);
  write("work/task-phase.yaml");
  assert.deepEqual(configCandidates(request), above.slice(0, 2));
  const elsewhere = configCandidates({ ...request, configFlag: "a.yaml" });
  assert.deepEqual(elsewhere, [...all, join(root, "a.yaml")]);
  assert.deepEqual(configCandidates({ ...request, configFlag: "work/task-phase.yaml" }), above.slice(0, 2));
});

test("the user's folder is that of XDG_CONFIG_HOME, unless that is relative", () => {
  const folder = (base?: string) => userConfigFolder({ env: { XDG_CONFIG_HOME: base }, home: "/h" });
  assert.deepEqual(
    [folder("/x"), folder("x"), folder("")],
    ["/x/task-phase", ...Array(2).fill("/h/.config/task-phase")],
  );
});

test("the signing key is where TASK_PHASE_SIGNING_KEY says, else in the user's folder", (t) => {
  const { root, request, write } = place(t);
  assert.deepEqual(keyPlaces({ ...request, env: { TASK_PHASE_SIGNING_KEY: "/k.pub" } }), ["/k.pub"]);
  const folder = join(root, "home/.config/task-phase");
  assert.deepEqual(keyPlaces(request), [join(folder, "signing_key"), join(folder, "signing_key.pub")]);
  assert.deepEqual(listKeyFiles(request), []);
  const named = { ...request, env: { TASK_PHASE_SIGNING_KEY: write("keys/k.pub") } };
  assert.deepEqual(listKeyFiles(named), [join(root, "keys/k.pub")]);
  write("keys/k");
  assert.deepEqual(listKeyFiles(named), [join(root, "keys/k.pub"), join(root, "keys/k")]);
  mkdirSync(folder, { recursive: true });
  symlinkSync(join(root, "keys/k"), join(folder, "signing_key"));
  assert.deepEqual(listKeyFiles(request), [join(root, "keys/k")]);
});
