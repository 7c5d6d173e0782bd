import assert from "node:assert/strict";
import { test } from "node:test";
import { makeBranchWorld } from "../cli/branch-world.ts";

test("where git writes text with the line ends of Windows, tasks on their branches end, land and can be checked", async (t) => {
  const world = makeBranchWorld(t, { "T-1": {}, "T-2": {} });
  world.git("repo", "config", "core.autocrlf", "true");
  world.write("repo/.gitattributes", "* text=auto eol=crlf\n");
  world.write("repo/tasks/.gitattributes", "* -text\n");
  world.git("repo", "add", ".gitattributes", "tasks/.gitattributes");
  world.git("repo", "commit", "-q", "-m", "windows");
  await world.ends(0, "loop", "--jobs", "2");
  await world.ends(0, "check", "T-1");
  await world.ends(0, "land", "--all");
  world.git("home", "clone", "-q", "-c", "core.autocrlf=true", world.path("repo"), world.path("clone"));
  for (const task of ["T-1", "T-2"]) {
    const { code, stdout, stderr } = await world.call("task-phase", ["check", `tasks/${task}`], { cwd: "clone" });
    assert.equal(code, 0, `${stdout}${stderr}`);
  }
});

test("that is so before the rule of the tasks root is in a commit", async (t) => {
  const world = makeBranchWorld(t, { "T-1": {} });
  world.git("repo", "config", "core.autocrlf", "true");
  world.write("repo/.gitattributes", "* text=auto eol=crlf\n");
  world.git("repo", "add", ".gitattributes");
  world.git("repo", "commit", "-q", "-m", "windows");
  await world.ends(0, "loop", "--jobs", "1");
  await world.ends(0, "check", "T-1");
});
