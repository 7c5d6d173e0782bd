import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import {
  filterNames,
  type GitSettings,
  identityVariables,
  readSettings,
  runInRepository,
  settingOf,
  settingVariables,
  writeSetting,
} from "../../lib/git/git-settings.ts";
import { findGitPlace } from "../../lib/git/place.ts";
import { withFolder } from "../store/temporary-folder.ts";
import { gitEnv, makeRepo, write } from "./git-repo.ts";

describe("git's settings", () => {
  it("are told apart by who could have written them, and the repository's count last", () =>
    withFolder(async (folder) => {
      const repo = join(folder, "repo");
      makeRepo(repo, { a: "1" });
      write(folder, { person: "[user]\n\tname = Ann\n[core]\n\teditor = own\n\tquiet\n" });
      const env = { ...gitEnv, GIT_CONFIG_GLOBAL: join(folder, "person"), GIT_DIR: "/nonexistent" };
      const place = findGitPlace(repo) ?? assert.fail();
      await writeSetting(place, "core.editor", "two\nlines", env);
      const settings = await readSettings(place, env);
      assert.deepEqual(settings.own, [
        ["user.name", "Ann"],
        ["core.editor", "own"],
        ["core.quiet", "true"],
      ]);
      assert.equal(settingOf(settings, "core.editor"), "two\nlines");
      assert.equal(settingOf({ ...settings, repo: [] }, "core.editor"), "own");
      assert.equal(settingOf(settings, "core.none"), null);
      assert.equal(
        settings.repo.some(([key]) => key === "core.fsmonitor"),
        false,
      );
    }));

  it("are not read from a pipe, which would block git", () =>
    withFolder(async (folder) => {
      makeRepo(folder, { a: "1" });
      const place = findGitPlace(folder) ?? assert.fail();
      for (const name of ["config", "config.worktree", "info/attributes"]) {
        const file = join(folder, ".git", name);
        write(folder, { [`.git/${name}`]: "" });
        rmSync(file);
        execFileSync("mkfifo", [file]);
        const asked = runInRepository(place, ["config", "--list"], gitEnv);
        await assert.rejects(asked, new RegExp(`${name} is a pipe$`));
        rmSync(file);
      }
    }));

  it("name filters that do something, whatever their names are", () => {
    const own = [
      ["filter.lfs.clean", "git-lfs clean"],
      ["filter.off.smudge", ""],
    ] as const;
    const repo = [
      ["filter.a.b.process", "x"],
      ["filter.lfs.required", "true"],
      ["filter.x.other", "y"],
    ] as const;
    assert.deepEqual(filterNames({ own, repo }), new Set(["lfs", "a.b"]));
  });

  it("become numbered variables", () => {
    assert.deepEqual(settingVariables([]), { GIT_CONFIG_COUNT: "0" });
    assert.deepEqual(
      settingVariables([
        ["a.b", "1"],
        ["c.d", "2"],
      ]),
      {
        GIT_CONFIG_COUNT: "2",
        GIT_CONFIG_KEY_0: "a.b",
        GIT_CONFIG_VALUE_0: "1",
        GIT_CONFIG_KEY_1: "c.d",
        GIT_CONFIG_VALUE_1: "2",
      },
    );
  });
});

describe("the identity of a commit", () => {
  const user = [
    ["user.name", "Ann"],
    ["user.email", "ann@x"],
  ] as const;
  const runner = ["task-phase", "task-phase@localhost"];
  const cases: Readonly<Record<string, [GitSettings["own"], NodeJS.ProcessEnv, string[], string[]]>> = {
    "of nobody is the runner's": [[], {}, runner, runner],
    "is the person's": [user, {}, ["Ann", "ann@x"], ["Ann", "ann@x"]],
    "with half of it known is the runner's": [[["user.name", "Ann"]], {}, runner, runner],
    "that is blank is the runner's": [
      [
        ["user.name", " "],
        ["user.email", "ann@x"],
      ],
      {},
      runner,
      runner,
    ],
    "takes EMAIL last": [[["user.name", "Ann"]], { EMAIL: "e@x" }, ["Ann", "e@x"], ["Ann", "e@x"]],
    "prefers the settings of a role": [
      [...user, ["author.name", "Bo"], ["committer.email", "c@x"]],
      {},
      ["Bo", "ann@x"],
      ["Ann", "c@x"],
    ],
    "prefers the environment": [
      [...user, ["author.name", "Bo"]],
      { GIT_AUTHOR_NAME: "Cy", GIT_COMMITTER_EMAIL: "", EMAIL: "e@x" },
      ["Cy", "ann@x"],
      ["Ann", "ann@x"],
    ],
  };
  for (const [name, [own, env, author, committer]] of Object.entries(cases)) {
    it(name, () => {
      const [authorName, authorEmail] = author;
      const [committerName, committerEmail] = committer;
      assert.deepEqual(identityVariables({ own, repo: [] }, env), {
        GIT_AUTHOR_NAME: authorName,
        GIT_AUTHOR_EMAIL: authorEmail,
        GIT_COMMITTER_NAME: committerName,
        GIT_COMMITTER_EMAIL: committerEmail,
      });
    });
  }
});
