import assert from "node:assert/strict";
import { chmodSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { openEditor, openViewer } from "../../lib/process/open-viewer.ts";
import { write } from "../git/git-repo.ts";
import { makeFolder } from "./arrange.ts";

const system = process.env.PATH ?? "/usr/bin:/bin";
const blind = "there is no display (neither DISPLAY nor WAYLAND_DISPLAY is set)";

/** Programs of these names, each of them this script. */
function programs(t: TestContext, scripts: Readonly<Record<string, string>>): string {
  const bin = join(makeFolder(t), "bin dir");
  for (const [name, script] of Object.entries(scripts)) {
    write(bin, { [name]: `#!/bin/sh\n${script}\n` });
    chmodSync(join(bin, name), 0o755);
  }
  return bin;
}

test("no window is opened where nobody would see it", async (t) => {
  const bin = programs(t, { "xdg-open": `echo > '${join(makeFolder(t), "opened")}'`, open: "exit 3" });
  const asked = (env: NodeJS.ProcessEnv, platform: NodeJS.Platform = "linux") =>
    openViewer("/page.html", { PATH: `${bin}:${system}`, ...env }, "/", platform);
  assert.equal(await asked({ DISPLAY: ":0", TASK_PHASE_PASS: "1" }), "this is a call from inside a pass");
  assert.equal(await asked({ DISPLAY: ":0", CI: "true" }), "this is a CI job (CI is set)");
  for (const env of [{}, { DISPLAY: "" }, { WAYLAND_DISPLAY: "", CI: "false" }]) assert.equal(await asked(env), blind);
  assert.equal(await asked({}, "darwin"), "open ended with 3");
  assert.equal(await asked({}, "win32"), "no program opens files here");
});

test("the desktop's program opens the file, and its failure is told", async (t) => {
  const folder = makeFolder(t);
  const bin = programs(t, { "xdg-open": `printf %s "$1" > '${join(folder, "opened")}'; exit "$CODE"` });
  const asked = (code: string, path: string, more: NodeJS.ProcessEnv) =>
    openViewer("/a page.html", { PATH: path, CODE: code, ...more }, "/", "linux");
  assert.equal(await asked("0", `${bin}:${system}`, { DISPLAY: ":0", CI: "0" }), null);
  assert.equal(readFileSync(join(folder, "opened"), "utf8"), "/a page.html");
  assert.equal(await asked("4", `${bin}:${system}`, { WAYLAND_DISPLAY: "w" }), "xdg-open ended with 4");
  assert.equal(await asked("0", "/nonexistent", { DISPLAY: ":0" }), "xdg-open is not on PATH");
});

test("the editor is that of VISUAL, else of EDITOR, else vi, with words of its own", (t) => {
  const folder = makeFolder(t);
  const note = join(folder, "note");
  const bin = programs(t, { vi: `echo vi "$@" > '${note}'`, ed: `echo ed "$@" > '${note}'`, no: "exit 2" });
  const opened = (env: NodeJS.ProcessEnv) => {
    assert.equal(openEditor("a b.md", { PATH: `${bin}:${system}`, ...env }, folder), null);
    return readFileSync(note, "utf8");
  };
  assert.equal(opened({}), "vi a b.md\n");
  assert.equal(opened({ VISUAL: " ", EDITOR: "ed -w" }), "ed -w a b.md\n");
  assert.equal(opened({ VISUAL: "vi -x", EDITOR: "no" }), "vi -x a b.md\n");
  assert.equal(openEditor("a", { PATH: `${bin}:${system}`, EDITOR: "no" }, folder), "it ended with 2");
  assert.equal(existsSync(join(folder, "a")), false);
});
