import assert from "node:assert/strict";
import { test } from "node:test";
import { isOlder, readVersion } from "../../../lib/agents/inspect/versions.ts";

test("a version is read from the words around it", () => {
  const said: readonly (readonly [string, string | null])[] = [
    ["2.1.330 (Claude Code)", "2.1.330"],
    ["codex-cli 0.169.0", "0.169.0"],
    ["v1.2.3-beta.4", "1.2.3-beta.4"],
    ["git version 2.39", "2.39"],
    ["no number", null],
    ["version 7", null],
    ["", null],
  ];
  assert.deepEqual(
    said.map(([text]) => readVersion(text)),
    said.map(([, version]) => version),
  );
});

test("versions are compared number by number", () => {
  assert.deepEqual(
    [
      isOlder("0.74.2", "0.87.1"),
      isOlder("0.9.9", "0.87.1"),
      isOlder("0.87.1", "0.87.1"),
      isOlder("0.87.1-beta", "0.87.1"),
      isOlder("1.0", "0.87.1"),
      isOlder("20.19", "20.19.0"),
      isOlder("2.1.330", "2.1.331"),
    ],
    [true, true, false, false, false, false, true],
  );
});
