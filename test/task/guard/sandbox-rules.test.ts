import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, realpathSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { renderTooMany } from "../../../lib/pass/require-sandbox.ts";
import { mostMounts } from "../../../lib/process/bwrap.ts";
import type { SandboxRules } from "../../../lib/task/guard/sandbox-rules.ts";
import { type SandboxedPass, sandboxRules } from "../../../lib/task/guard/sandbox-rules.ts";
import { placeOf } from "../../../lib/task/records/task-place.ts";
import { makeFolder } from "../../process/arrange.ts";

interface Surroundings {
  readonly folder: string;
  write(...names: readonly string[]): void;
  git(where: string, ...args: readonly string[]): void;
  /** The rules, with paths relative to the folder and sorted. */
  rules(changes?: Partial<SandboxedPass>, env?: Readonly<Record<string, string>>): SandboxRules;
}

/** A folder with a task at this place in it and a repo at that one. */
function surround(t: TestContext, task: string, repo = "repo"): Surroundings {
  const folder = realpathSync(makeFolder(t));
  const write = (...names: readonly string[]) => {
    for (const name of names) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), "as it was\n");
    }
  };
  write(`${task}/README.md`, `${task}/STATE.md`, `${repo}/src/main.js`);
  const inside = (paths: readonly string[] = []) => paths.map((path) => relative(folder, path)).sort();
  return {
    folder,
    write,
    git(where, ...args) {
      const settings = [
        "-c",
        "user.name=Test",
        "-c",
        "user.email=test@example.invalid",
        "-c",
        "protocol.file.allow=always",
      ];
      execFileSync("git", ["-C", join(folder, where), ...settings, ...args], {
        stdio: "ignore",
        env: { PATH: process.env.PATH, HOME: folder, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" },
      });
    },
    rules(changes = {}, env = {}) {
      const place = placeOf(join(folder, task));
      const pass = { place, repo: join(folder, repo), configPaths: [], protectedGlobs: [], ...changes };
      const { writable, readOnly, hidden } = sandboxRules(pass, { env, home: join(folder, "home") });
      return { writable: inside(writable), readOnly: inside(readOnly), hidden: inside(hidden) };
    },
  };
}

describe("the task and the repo", () => {
  test("both are writable, and of the task everything that only the runner or a person writes is not", (t) => {
    const there = surround(t, "tasks/T-1");
    const kept = [
      "SUMMARY.md",
      "DEFERRED.md",
      "ASSUMPTIONS.md",
      "CONTROL.md",
      "log.txt",
      "progress.txt",
      "last_error.txt",
    ];
    const own = ["journal.jsonl", "checkpoint.json", "evidence.html", "status.md"].map((name) => `artifacts/${name}`);
    for (const name of [...kept, ...own, "TASKS.md", "DECISIONS.md", "EVIDENCE.md", "artifacts/passes/0001/prompt.md"])
      there.write(`tasks/T-1/${name}`);
    assert.deepEqual(there.rules(), {
      writable: ["repo", "tasks/T-1", "tasks/T-1/artifacts"],
      readOnly: [...kept, ...own, "README.md", "artifacts/passes"].map((name) => `tasks/T-1/${name}`).sort(),
      hidden: [],
    });
  });

  test("in a repo that holds the tasks root, its board, other tasks, settings and the folders above cannot be moved", (t) => {
    const there = surround(t, "repo/docs/tasks/T-1");
    there.write(
      "repo/docs/tasks/T-2/STATE.md",
      "repo/docs/tasks/notes/idea.md",
      "repo/docs/tasks/.task-phase/state.json",
    );
    there.write("repo/task-phase.yaml", "repo/docs/readme.md", "repo/index.html");
    for (const name of [".gitattributes", ".gitignore", "BOARD.md", "index.html"])
      there.write(`repo/docs/tasks/${name}`);
    const configPaths = ["repo/docs/tasks", "repo/docs", "repo"].map((name) =>
      join(there.folder, name, "task-phase.yaml"),
    );
    assert.deepEqual(there.rules({ configPaths }), {
      writable: ["repo", "repo/docs", "repo/docs/tasks", "repo/docs/tasks/T-1"],
      readOnly: [
        "repo/docs/tasks/.gitattributes",
        "repo/docs/tasks/.gitignore",
        "repo/docs/tasks/.task-phase",
        "repo/docs/tasks/BOARD.md",
        "repo/docs/tasks/T-1/README.md",
        "repo/docs/tasks/T-2",
        "repo/docs/tasks/index.html",
        "repo/task-phase.yaml",
      ],
      hidden: [],
    });
  });

  test("a setting that is a link: where it leads to is held, where that can be written", (t) => {
    const there = surround(t, "tasks/T-1");
    there.write("repo/settings/real.yaml", "elsewhere.yaml");
    symlinkSync("settings/real.yaml", join(there.folder, "repo", "linked.yaml"));
    symlinkSync("../elsewhere.yaml", join(there.folder, "repo", "outside.yaml"));
    const configPaths = ["linked.yaml", "outside.yaml"].map((name) => join(there.folder, "repo", name));
    assert.deepEqual(there.rules({ configPaths }).readOnly, ["repo/settings/real.yaml", "tasks/T-1/README.md"]);
  });

  test("a link in the place of a file is not followed: it is judged afterwards", (t) => {
    const there = surround(t, "tasks/T-1");
    there.write("repo/other.md");
    symlinkSync("../../repo/other.md", join(there.folder, "tasks/T-1/SUMMARY.md"));
    assert.deepEqual(there.rules().readOnly, ["tasks/T-1/README.md"]);
  });

  test("the runner's own state folder is hidden, through links too", (t) => {
    const there = surround(t, "tasks/T-1");
    there.write("real/task-phase/tasks/x", "home/.local/state/task-phase/tasks/x");
    symlinkSync("real", join(there.folder, "state"));
    assert.deepEqual(there.rules().hidden, ["home/.local/state/task-phase"]);
    assert.deepEqual(there.rules({}, { XDG_STATE_HOME: join(there.folder, "state") }).hidden, ["real/task-phase"]);
  });
});

describe("protected paths", () => {
  const files = [
    "test/acceptance/a.test.js",
    "test/acceptance/deep/b.js",
    "test/unit/a.snap",
    "test/unit/a.js",
    "local/x",
  ];

  test("a folder of which all is protected is held as a whole, with what could be added to it", (t) => {
    const there = surround(t, "tasks/T-1");
    there.write(...files.map((name) => `repo/${name}`));
    mkdirSync(join(there.folder, "repo/empty"));
    const { writable, readOnly } = there.rules({
      protectedGlobs: ["test/acceptance/**", "./local/", "empty", "gone/**"],
    });
    assert.deepEqual(
      [writable, readOnly],
      [
        ["repo", "repo/test", "tasks/T-1"],
        ["repo/empty", "repo/local", "repo/test/acceptance", "tasks/T-1/README.md"],
      ],
    );
  });

  test("single files are held one by one, and the folders above them cannot be moved", (t) => {
    const there = surround(t, "tasks/T-1");
    there.write(...files.map((name) => `repo/${name}`));
    const { writable, readOnly } = there.rules({ protectedGlobs: ["**/*.snap", "test/acceptance/*.js"] });
    assert.deepEqual(
      [writable, readOnly],
      [
        ["repo", "repo/test", "repo/test/acceptance", "repo/test/unit", "tasks/T-1"],
        ["repo/test/acceptance/a.test.js", "repo/test/unit/a.snap", "tasks/T-1/README.md"],
      ],
    );
  });

  test("files behind a link are not the repo's, and the link itself cannot be held", (t) => {
    const there = surround(t, "tasks/T-1");
    there.write("outside/inner/a.js", "repo/real.js");
    symlinkSync("../outside", join(there.folder, "repo/linked"));
    symlinkSync("real.js", join(there.folder, "repo/link.js"));
    const { readOnly } = there.rules({ protectedGlobs: ["linked/**", "linked/inner/**", "link.js"] });
    assert.deepEqual(readOnly, ["tasks/T-1/README.md"]);
  });

  test("a glob of everything leaves the task to the agent and nothing else", (t) => {
    const there = surround(t, "repo/tasks/T-1");
    const { writable, readOnly } = there.rules({ protectedGlobs: ["**"] });
    assert.deepEqual([writable, readOnly.slice(0, 1)], [["repo/tasks/T-1"], ["repo"]]);
  });

  test("names with spaces and line breaks are names like others", (t) => {
    const there = surround(t, "tasks/T-1");
    there.write("repo/odd \n names/a b.js");
    assert.deepEqual(there.rules({ protectedGlobs: ["odd*/**"] }).readOnly, [
      "repo/odd \n names",
      "tasks/T-1/README.md",
    ]);
  });

  test("more single files than a sandbox can hold are said, not held in part", (t) => {
    const there = surround(t, "tasks/T-1");
    const many = Array.from({ length: mostMounts }, (_none, index) => `repo/many/${index}.snap`);
    there.write(...many, "repo/many/other");
    assert.equal(renderTooMany(there.rules({ protectedGlobs: ["many/**"] })), null);
    assert.match(
      renderTooMany(there.rules({ protectedGlobs: ["many/*.snap"] })) ?? "",
      /^1004 paths .* 1000 are possible$/,
    );
  });
});

describe("git", () => {
  test("its folder in the repo stays writable and cannot be moved away", (t) => {
    const there = surround(t, "tasks/T-1");
    there.git("repo", "init", "--quiet");
    assert.deepEqual(there.rules().writable, ["repo", "repo/.git", "tasks/T-1"]);
  });

  test("of a linked working tree the repository itself is writable, and what says where it is can be read only", (t) => {
    const there = surround(t, "tasks/T-1", "main");
    there.git("main", "init", "--quiet");
    there.git("main", "add", "--all");
    there.git("main", "commit", "--quiet", "--message=start");
    there.git("main", "worktree", "add", "--quiet", "../linked");
    const { writable, readOnly } = there.rules({ repo: join(there.folder, "linked") });
    assert.deepEqual(
      [writable, readOnly],
      [
        ["linked", "main/.git", "tasks/T-1"],
        ["linked/.git", "tasks/T-1/README.md"],
      ],
    );
  });

  test("of a submodule it is the part that git keeps for it", (t) => {
    const there = surround(t, "tasks/T-1", "part");
    mkdirSync(join(there.folder, "whole"));
    for (const name of ["part", "whole"]) there.git(name, "init", "--quiet");
    there.git("part", "add", "--all");
    there.git("part", "commit", "--quiet", "--message=start");
    there.git("whole", "submodule", "--quiet", "add", "../part", "a part");
    const { writable, readOnly } = there.rules({ repo: join(there.folder, "whole/a part") });
    assert.deepEqual(
      [writable, readOnly],
      [
        ["tasks/T-1", "whole/.git/modules/a part", "whole/a part"],
        ["tasks/T-1/README.md", "whole/a part/.git"],
      ],
    );
  });

  for (const [what, lead] of [
    ["another repository", (folder: string) => join(folder, "other/.git")],
    [
      "a folder of the repo that names a place outside as the common one",
      (folder: string) => join(folder, "repo/forged"),
    ],
    ["nothing", (folder: string) => join(folder, "gone")],
  ] as const) {
    test(`a .git that was written to lead to ${what} opens nothing`, (t) => {
      const there = surround(t, "tasks/T-1");
      mkdirSync(join(there.folder, "other"));
      there.git("other", "init", "--quiet");
      there.write("repo/forged/HEAD");
      writeFileSync(join(there.folder, "repo/forged/commondir"), `${there.folder}/home\n`);
      writeFileSync(join(there.folder, "repo/forged/gitdir"), `${there.folder}/repo/.git\n`);
      writeFileSync(join(there.folder, "repo/.git"), `gitdir: ${lead(there.folder)}\n`);
      mkdirSync(join(there.folder, "home"));
      const { writable, readOnly } = there.rules();
      assert.deepEqual(
        [writable, readOnly],
        [
          ["repo", "tasks/T-1"],
          ["repo/.git", "tasks/T-1/README.md"],
        ],
      );
    });
  }

  test("a .git that is a link is not trusted", (t) => {
    const there = surround(t, "tasks/T-1");
    there.git("repo", "init", "--quiet");
    renameSync(join(there.folder, "repo/.git"), join(there.folder, "elsewhere"));
    symlinkSync("../elsewhere", join(there.folder, "repo/.git"));
    assert.deepEqual(there.rules().writable, ["repo", "tasks/T-1"]);
  });
});
