import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { entryKind, requireUsableEntry, requireUsableFolder } from "../../../lib/scaffold/init/usable-entry.ts";
import { TaskPhaseError } from "../../../lib/text/errors.ts";
import { refusing } from "../../store/refused-calls.ts";
import { withFolder } from "../../store/temporary-folder.ts";

/** One entry of each kind. */
function withEntries(run: (at: (name: string) => string) => void): Promise<void> {
  return withFolder((folder) => {
    const at = (name: string) => join(folder, name);
    writeFileSync(at("file"), "mine");
    mkdirSync(at("folder"));
    symlinkSync("folder", at("link"));
    symlinkSync("file", at("file-link"));
    execFileSync("mkfifo", [at("pipe")]);
    run(at);
  });
}

/** The refusal as `exit code: message`, or `fine`. */
function refusal(act: () => void): string {
  try {
    act();
    return "fine";
  } catch (error) {
    assert(error instanceof TaskPhaseError);
    const [finding] = error.findings;
    return `${error.exitName} ${finding?.code}: ${finding?.message}`;
  }
}

test("an entry is named by its kind, and a link is not followed", () =>
  withEntries((at) =>
    assert.deepEqual(
      ["file", "folder", "link", "file-link", "pipe", "none"].map((name) => entryKind(at(name))),
      ["file", "folder", "link", "link", "special", "missing"],
    ),
  ));

test("a task folder may be there, or be made below folders and links to folders, and nothing else is in its way", () =>
  withEntries((at) => {
    const blocked = (kind: string) =>
      `usage TP_INIT_NO_FOLDER: the task folder cannot be created: there is ${kind} here`;
    const rows: readonly (readonly [name: string, said: string])[] = [
      ["folder", "fine"],
      ["new/T-1", "fine"],
      ["link/T-1", "fine"],
      ["link", blocked("a link")],
      ["file", blocked("a file")],
      ["file/T-1", blocked("a file")],
      ["file-link/T-1", blocked("a link")],
      ["pipe", blocked("a device, socket or pipe")],
      [`new/${"x".repeat(256)}`, "disk TP_INIT_NO_FOLDER: the task folder cannot be created: its name is too long"],
    ];
    for (const [name, said] of rows)
      assert.equal(refusal(() => requireUsableFolder(at(name))).replace(/^failure /, "disk "), said, name);
  }));

test("a folder that cannot be written to, or looked at, is an error of the disk that names it", () =>
  withEntries((at) => {
    const denied = refusing("accessSync", "EACCES", /./, () => refusal(() => requireUsableFolder(at("folder"))));
    assert.match(denied, /TP_INIT_NOT_WRITABLE: nothing can be written to this folder$/);
    const unseen = refusing("lstatSync", "EIO", /T-1$/, () => refusal(() => requireUsableFolder(at("folder/T-1"))));
    assert.match(unseen, /TP_INIT_NO_FOLDER: the task folder cannot be created: the system reports EIO$/);
  }));

test("a task file is a regular file and artifacts/ a folder, or neither is there yet", () =>
  withEntries((at) => {
    const rows: readonly (readonly [name: string, wanted: "file" | "folder", said: string])[] = [
      ["none", "file", "fine"],
      ["file", "file", "fine"],
      ["folder", "folder", "fine"],
      ["folder", "file", "data TP_INIT_ODD_FILE: expected a file, found a folder"],
      ["file", "folder", "data TP_INIT_ODD_FILE: expected a folder, found a file"],
      ["file-link", "file", "data TP_INIT_ODD_FILE: expected a file, found a link"],
      ["link", "folder", "data TP_INIT_ODD_FILE: expected a folder, found a link"],
      ["pipe", "file", "data TP_INIT_ODD_FILE: expected a file, found a device, socket or pipe"],
    ];
    for (const [name, wanted, said] of rows)
      assert.equal(
        refusal(() => requireUsableEntry(at(name), wanted)),
        said,
        name,
      );
  }));
