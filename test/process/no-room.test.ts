import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { makeFolder } from "./arrange.ts";

const driver = fileURLToPath(new URL("no-room-driver.js", import.meta.url));

test("a machine that has no room for one more process is named, and the program is not said to be missing", (t) => {
  const command = `ulimit -n 400; exec "${process.execPath}" "${driver}" "${makeFolder(t)}"`;
  const end = spawnSync("sh", ["-c", command], { encoding: "utf8", timeout: 120_000 });
  assert.equal(end.status, 0, end.stderr);
  const { said, tools } = JSON.parse(end.stdout) as Record<"said" | "tools", string[]>;
  assert.deepEqual(
    said.filter((one) => !/^(?:exited 0|failure TP_(?:MACHINE|DISK) .*too many.* files)/.test(one)),
    [],
  );
  assert.ok(said.includes("exited 0"), end.stdout);
  assert.ok(
    said.some((one) => one.startsWith("failure TP_MACHINE")),
    end.stdout,
  );
  const ways = ["ran 0", "ran spawn cat EMFILE", "talked spawn cat EMFILE", "talked word"];
  assert.deepEqual([...new Set(tools)].sort(), ways);
});
