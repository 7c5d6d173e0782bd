import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { findGitPlace } from "../../lib/git/place.ts";
import { excludesFile, knownSettings, openPlainPlace } from "../../lib/git/plain-place.ts";
import { withFolder } from "../store/temporary-folder.ts";
import { git, gitEnv, makeRepo, write } from "./git-repo.ts";

/** The settings that a call gets beside the fixed ones, by their names. */
function dataOf(variables: Readonly<Record<string, string>>): Record<string, string | undefined> {
  const count = Number(variables.GIT_CONFIG_COUNT);
  const pairs = Array.from({ length: count }, (_value, index) => index);
  return Object.fromEntries(
    pairs.map((index) => [variables[`GIT_CONFIG_KEY_${index}`] ?? "", variables[`GIT_CONFIG_VALUE_${index}`]]),
  );
}

test("a call of git gets the settings that say how bytes are stored, each one plain word, and no program", () =>
  withFolder(async (folder) => {
    const repo = join(folder, "repo");
    makeRepo(repo, { a: "1" });
    for (const [key, value] of Object.entries({
      "core.repositoryFormatVersion": "1",
      "core.autocrlf": "input",
      "core.eol": "x; evil",
      "core.symlinks": "false",
      "core.editor": "evil",
      "filter.evil.clean": "evil",
      "extensions.objectFormat": "sha1",
    }))
      git(repo, "config", key, value);
    git(repo, "pack-refs", "--all");
    write(repo, { ".git/hooks/pre-commit": "evil", ".git/info/attributes": "* filter=evil", ".git/info/exclude": "x" });
    const place = findGitPlace(repo) ?? assert.fail();
    const plain = await openPlainPlace(place, gitEnv);
    const data = dataOf(plain.variables);
    assert.deepEqual([data["core.autocrlf"], data["core.symlinks"], data["core.eol"]], ["input", "false", undefined]);
    assert.doesNotMatch(JSON.stringify([plain.args, plain.variables]), /evil/);
    const common = plain.variables.GIT_COMMON_DIR ?? "";
    const names = ["config", "info", "logs", "objects", "packed-refs", "refs"];
    assert.deepEqual(readdirSync(common).sort(), names);
    assert.deepEqual(readdirSync(join(common, "info")), ["exclude"]);
    const config = "[core]\n\trepositoryFormatVersion = 1\n\tbare = false\n[extensions]\n\tobjectformat = sha1\n";
    assert.equal(readFileSync(join(common, "config"), "utf8"), config);
    assert.deepEqual(plain.args.slice(0, 2), [`--git-dir=${place.gitDir}`, `--work-tree=${repo}`]);
    plain.close();
    const loose = await openPlainPlace(place, gitEnv, "loose");
    const hidden = loose.variables.GIT_COMMON_DIR ?? "";
    assert.equal(loose.args[0], `--git-dir=${hidden}`);
    assert.deepEqual([readdirSync(join(hidden, "refs")), readdirSync(join(hidden, "objects"))], [[], []]);
    loose.close();
    assert.equal(existsSync(hidden), false);
  }));

test("the person's ignore rules are where git looks for them", () => {
  const place = { top: "/repo", gitDir: "/repo/.git", commonDir: "/repo/.git" };
  const of = (set: string | null, env: NodeJS.ProcessEnv) =>
    excludesFile(place, { own: set === null ? [] : [["core.excludesfile", set]], repo: [] }, env);
  assert.equal(of(null, { HOME: "/h" }), "/h/.config/git/ignore");
  assert.equal(of(null, { HOME: "/h", XDG_CONFIG_HOME: "/x" }), "/x/git/ignore");
  assert.equal(of(null, { HOME: "/h", XDG_CONFIG_HOME: "x" }), "/h/.config/git/ignore");
  assert.equal(of("~/rules", { HOME: "/h" }), "/h/rules");
  assert.equal(of("rules", { HOME: "/h" }), "/repo/rules");
  assert.equal(of("/rules", { HOME: "/h" }), "/rules");
});

test("a pipe in the place of ignore rules is not opened", () =>
  withFolder(async (folder) => {
    makeRepo(join(folder, "repo"), { a: "1" });
    const pipe = join(folder, "rules");
    execFileSync("mkfifo", [pipe]);
    git(join(folder, "repo"), "config", "core.excludesFile", pipe);
    const plain = await openPlainPlace(findGitPlace(join(folder, "repo")) ?? assert.fail(), gitEnv);
    assert.equal(dataOf(plain.variables)["core.excludesFile"], "/dev/null");
    plain.close();
  }));

test("settings are read again if one of their files changed", () =>
  withFolder(async (folder) => {
    const repo = join(folder, "repo");
    makeRepo(repo, { a: "1" });
    const place = findGitPlace(repo) ?? assert.fail();
    const env = { ...gitEnv, GIT_CONFIG_GLOBAL: join(folder, "global") };
    assert.deepEqual((await knownSettings(place, env)).own, []);
    write(folder, { global: "[user]\n\tname = Ann\n" });
    assert.deepEqual((await knownSettings(place, env)).own, [["user.name", "Ann"]]);
    write(folder, { "repo/.git/config": "[broken" });
    await assert.rejects(knownSettings(place, env), /git config failed/);
    rmSync(join(repo, ".git/config"));
    assert.deepEqual((await knownSettings(place, env)).repo, []);
  }));
