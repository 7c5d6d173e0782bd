import assert from "node:assert/strict";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import {
  distributionOf,
  leadsToOwn,
  ownerOf,
  pathsOfPython,
  plainPython,
} from "../../../lib/checks/proof/package-owner.ts";
import { write } from "../../git/git-repo.ts";
import { withFolder } from "../../store/temporary-folder.ts";

const site = ".venv/lib/python3.12/site-packages";

test("a file belongs to the package in whose folder it is, or to its package manager, or to none", () => {
  const rows: readonly (readonly [path: string, owner: string | null])[] = [
    ["src/a.js", null],
    ["node_modules/a/lib/i.js", "node a | node_modules/a | /lib/i.js"],
    ["web/node_modules/@s/a/i.js", "node @s/a | web/node_modules/@s/a | /i.js"],
    ["node_modules/a/node_modules/b/i.js", "node b | node_modules/a/node_modules/b | /i.js"],
    ["node_modules/.package-lock.json", "node  |  | .package-lock.json"],
    ["node_modules/.pnpm/lock.yaml", "node  |  | .pnpm/lock.yaml"],
    ["node_modules/.pnpm/a@1/x.js", null],
    ["node_modules/.bin/none", null],
    ["vendor/n/a/x.php", "vendor n/a/x.php |  | n/a/x.php"],
    ["vendor/autoload.php", "vendor  |  | autoload.php"],
    ["vendor/composer/x.php", "vendor  |  | composer/x.php"],
    [`${site}/yaml/load.py`, `python ${site}/yaml | ${site}/yaml | `],
    [`${site}/six.py`, `python ${site}/six.py | ${site}/six.py | `],
    [`${site}/__pycache__/six.pyc`, `python ${site}/__pycache__/six.pyc | ${site}/__pycache__/six.pyc | `],
    ["lib/dist-packages/a/b.py", "python lib/dist-packages/a | lib/dist-packages/a | "],
    [".venv/bin/pytest", "python .venv/bin/pytest | .venv/bin/pytest | "],
    ["env/Scripts/pytest.exe", "python env/Scripts/pytest.exe | env/Scripts/pytest.exe | "],
    ["event/bin/run", null],
  ];
  for (const [path, owner] of rows) {
    const found = ownerOf("/nonexistent", path);
    assert.equal(found && `${found.ecosystem} ${found.name} | ${found.folder} | ${found.inner}`, owner, path);
  }
});

test("a program of node_modules/.bin belongs to the package that it leads to", () =>
  withFolder((repo) => {
    mkdirSync(join(repo, "node_modules/.bin"), { recursive: true });
    symlinkSync("../a/cli.js", join(repo, "node_modules/.bin/run-a"));
    assert.deepEqual(ownerOf(repo, "node_modules/.bin/run-a"), {
      ...{ ecosystem: "node", name: "a", folder: "node_modules/a", inner: ".bin/run-a" },
    });
  }));

test("a distribution has one name however it is written", () => {
  assert.deepEqual(["PyYAML", "zope.interface", "a_-b", "a--b"].map(plainPython), [
    "pyyaml",
    "zope-interface",
    "a-b",
    "a-b",
  ]);
  assert.deepEqual(
    ["PyYAML-6.0.dist-info", "my_lib-2-1.dist-info", "yaml", "a.dist-info", "a-1.egg-info"].map(distributionOf),
    ["pyyaml", "my-lib-2", null, null, null],
  );
});

test("a distribution has what its RECORD names, except for what one as at pass 1 names too", () =>
  withFolder((repo) => {
    write(join(repo, site), {
      "free-2.dist-info/RECORD": "free/__init__.py,sha256=x,1\r\nboth.py,,\r\n../../../bin/free,,\r\n",
      "held-1.dist-info/RECORD": "both.py,,\nheld.py,,\n",
      "other-1.dist-info/RECORD": "free/__init__.py,,\n",
      "no_record-1.dist-info/METADATA": "",
      "plain/__init__.py": "",
    });
    const isFree = (name: string) => name === "free" || name === "no-record";
    const isPinned = (path: string) => path === `${site}/held-1.dist-info/RECORD`;
    assert.deepEqual(pathsOfPython(repo, site, isFree, isPinned).sort(), [
      ".venv/bin/free",
      `${site}/free`,
      `${site}/free-2.dist-info`,
      `${site}/no_record-1.dist-info`,
    ]);
    assert.deepEqual(pathsOfPython(repo, "none", isFree, isPinned), []);
  }));

test("a link leads to its own package only inside the repo, and a folder in its place does not", () =>
  withFolder((folder) => {
    const repo = join(folder, "repo");
    const modules = join(repo, "node_modules");
    mkdirSync(join(modules, "plain"), { recursive: true });
    writeFileSync(join(modules, "file"), "");
    symlinkSync(".pnpm/a@1/node_modules/a", join(modules, "a"));
    symlinkSync("../../outside/node_modules/b", join(modules, "b"));
    symlinkSync("a", join(modules, "alias"));
    const found = ["a", "b", "alias", "plain", "file", "none"].map((name) =>
      leadsToOwn(repo, `node_modules/${name}`, name),
    );
    assert.deepEqual(found, [true, false, false, false, false, false]);
  }));
