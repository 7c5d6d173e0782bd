import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { existsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, describe, it } from "node:test";
import { findGitPlace } from "../../../lib/git/place.ts";
import { withReader } from "../../../lib/queue/views/branch-reader.ts";
import { gitEnv, makeRepo } from "../../git/git-repo.ts";
import { watchDisk } from "../../store/recorded-disk.ts";
import { withFolder } from "../../store/temporary-folder.ts";

describe("a reader of branches", () => {
  const withPlace = (act: (place: NonNullable<ReturnType<typeof findGitPlace>>) => Promise<void>) =>
    withFolder(async (folder) => {
      makeRepo(folder, { a: "one\n" });
      await act(findGitPlace(folder) ?? assert.fail());
    });

  let started: ChildProcess[] = [];
  const onStart = (message: unknown) => void started.push((message as { process: ChildProcess }).process);
  /** A process that runs and may still be asked. */
  const isLeft = () =>
    started.some(({ exitCode, signalCode, stdin }) => (exitCode ?? signalCode) === null && !stdin?.writableEnded);
  before(() => subscribe("child_process", onStart));
  beforeEach(() => {
    started = [];
  });
  after(() => unsubscribe("child_process", onStart));

  it("reads objects, and ends git and removes its folder", () =>
    withPlace(async (place) => {
      let folder = "";
      const text = await withReader(place, gitEnv, async (read, temporary) => {
        folder = temporary;
        writeFileSync(join(temporary, "file"), "");
        const object = await read("HEAD:a", 100);
        return object.kind === "blob" ? object.bytes.toString() : object.kind;
      });
      assert.deepEqual([text, existsSync(folder), isLeft()], ["one\n", false, false]);
    }));

  it("ends git if its folder cannot be made", () =>
    withPlace(async (place) => {
      const disk = watchDisk(tmpdir(), (call) => {
        if (call.startsWith("mkdtemp task-phase-branches-")) throw new Error("no room");
      });
      try {
        await assert.rejects(
          withReader(place, gitEnv, async () => 0),
          /no room/,
        );
      } finally {
        disk.restore();
      }
      assert.deepEqual([started.length > 0, isLeft()], [true, false]);
    }));
});
