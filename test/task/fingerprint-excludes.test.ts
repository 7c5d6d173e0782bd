import assert from "node:assert/strict";
import { realpathSync, symlinkSync } from "node:fs";
import { join, relative } from "node:path";
import { type TestContext, test } from "node:test";
import { fingerprintExcludes } from "../../lib/task/fingerprint-excludes.ts";
import { placeOf } from "../../lib/task/records/task-place.ts";
import { write } from "../git/git-repo.ts";
import { makeFolder } from "../process/arrange.ts";

const brief = (id: string, prd: string) => `---\nid: ${id}\ntitle: A\nsource: { prd: ${prd}, story: US-1 }\n---\n`;

function arrange(t: TestContext, root: string) {
  const folder = realpathSync(makeFolder(t));
  write(folder, {
    "app/prd.json": '{"userStories": []}',
    "app/data.json": '{"userStories": []}',
    [`${root}/T-1/STATE.md`]: "state",
    [`${root}/T-2/STATE.md`]: "state",
    [`${root}/T-2/README.md`]: brief("T-2", relative(join(folder, root, "T-2"), join(folder, "app/prd.json"))),
  });
  const place = placeOf(join(folder, root, "T-1"));
  return {
    folder,
    excludes: (repo = "app", at = place) =>
      fingerprintExcludes(at, join(folder, repo)).map((path) => relative(folder, path)),
  };
}

const written = (root: string) => ["BOARD.md", "index.html"].map((name) => `${root}/${name}`);

test("other task folders are no part of the code if the tasks are in the repo, those that come later too", (t) => {
  const { folder, excludes } = arrange(t, "app/tasks");
  const root = "app/tasks";
  const first = [`${root}/.task-phase`, `${root}/T-1`, `${root}/T-2`];
  const rest = [...written(root), `${root}/.gitattributes`, `${root}/.gitignore`, "app/prd.json"];
  assert.deepEqual(excludes(), [...first, ...rest]);
  write(folder, { [`${root}/T-3/STATE.md`]: "state" });
  assert.deepEqual(excludes(), [...first, `${root}/T-3`, ...rest]);
});

test("the other way round, and by a link, they are found as well", (t) => {
  const { folder, excludes } = arrange(t, "app/tasks");
  symlinkSync(join(folder, "app"), join(folder, "link"));
  assert.equal(excludes("link").includes("app/tasks/T-2"), true);
  write(folder, { "app/tasks/T-2/code/a.js": "1" });
  assert.equal(excludes("app/tasks/T-2/code").includes("app/tasks/T-2"), true);
  assert.equal(excludes("app/tasks").includes("app/tasks/T-2"), true);
  assert.equal(excludes("nowhere").includes("app/tasks/T-2"), false);
});

test("beside the repo only the own folder is named: no other one can be in it", (t) => {
  const { excludes } = arrange(t, "app-tasks");
  assert.deepEqual(
    excludes().filter((path) => !path.includes(".git")),
    ["app-tasks/.task-phase", "app-tasks/T-1", ...written("app-tasks"), "app/prd.json"],
  );
});

test("which files stories come from is known from the first look on, and a file that holds none is code", (t) => {
  const { folder, excludes } = arrange(t, "app-tasks");
  assert.equal(excludes().at(-1), "app/prd.json");
  write(folder, { "app-tasks/T-3/STATE.md": "state", "app-tasks/T-3/README.md": brief("T-3", "../../app/data.json") });
  assert.equal(excludes().at(-1), "app/prd.json");
  assert.equal(excludes("app", placeOf(join(folder, "app-tasks/T-1"))).at(-1), "app/data.json");
  write(folder, { "app/prd.json": "code, and more of it" });
  assert.equal(excludes().includes("app/prd.json"), false);
});
