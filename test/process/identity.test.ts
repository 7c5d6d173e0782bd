import assert from "node:assert/strict";
import { test } from "node:test";
import { bootId, identify, identifyPid, identityKey, isRunning } from "../../lib/process/identity.ts";
import { readRow } from "../../lib/process/proc-table.ts";
import { write } from "../git/git-repo.ts";
import { makeFolder } from "./arrange.ts";

/** A process as /proc shows it. */
function proc(name: string, words: readonly string[]): Record<string, string> {
  const fields = Array.from({ length: 50 }, (_value, index) => String(index + 4));
  return {
    "7/stat": `7 (${name}) S 1 ${fields.slice(1).join(" ")}`,
    "7/cmdline": words.map((word) => `${word}\0`).join(""),
    "sys/kernel/random/boot_id": "b00t\n",
  };
}

const cases: Readonly<Record<string, [name: string, words: readonly string[], command: string]>> = {
  "its name alone, without arguments that may be secrets": ["curl", ["curl", "--key=secret"], "curl"],
  "the script of an interpreter": ["node", ["/usr/bin/node", "/srv/a/agent.mjs", "--key"], "node agent.mjs"],
  "no first argument that is no script": ["sh", ["sh", "-c", "echo a.js"], "sh"],
  "no script with odd characters": ["sh", ["sh", "a b.sh"], "sh"],
  "node, whatever it calls its first thread": ["MainThread", ["/opt/node", "a.js"], "node a.js"],
  "the thread's name of another program": ["node-MainThread", ["/opt/other"], "node-MainThread"],
};

for (const [what, [name, words, command]] of Object.entries(cases)) {
  test(`a process is named by ${what}`, (t) => {
    const root = makeFolder(t);
    write(root, proc(name, words));
    const row = readRow(7, root) ?? assert.fail();
    const found = identify(row, root);
    assert.deepEqual(found, { pid: 7, startTime: row.startTime, bootId: "b00t", command });
    assert.equal(identityKey(found), `7:${row.startTime}`);
    assert.deepEqual(identifyPid(7, "/opt/agent", root), { ...found, command: "agent" });
  });
}

test("a process is its number alone where there is no /proc", (t) => {
  const root = makeFolder(t);
  assert.deepEqual(identifyPid(7, "/opt/agent", root), { pid: 7, startTime: "", bootId: "", command: "agent" });
  assert.equal(bootId(root), "");
  assert.deepEqual([isRunning(process.pid), isRunning(0x7fffffff)], [true, false]);
});
