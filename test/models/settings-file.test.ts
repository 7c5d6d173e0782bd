import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gemini } from "../../lib/models/gemini.ts";
import { opencode } from "../../lib/models/opencode.ts";
import { settingsFileEnv } from "../../lib/models/settings-file.ts";
import { makeFolder } from "../process/arrange.ts";

test("the settings stand in a private file of the run, which a variable names", (t) => {
  const folder = makeFolder(t);
  const adapter = { ...gemini, settingsFile: () => ({ variable: "ACME_SETTINGS", content: { tries: 4 } }) };
  assert.deepEqual(settingsFileEnv(adapter, folder), { ACME_SETTINGS: join(folder, "settings.json") });
  assert.equal(readFileSync(join(folder, "settings.json"), "utf8"), '{"tries":4}\n');
  assert.equal(statSync(join(folder, "settings.json")).mode & 0o777, 0o600);
});

test("without such settings nothing is written and no variable is set", () => {
  assert.deepEqual(settingsFileEnv(opencode, "/nowhere"), {});
  assert.deepEqual(settingsFileEnv({ ...gemini, settingsFile: () => null }, "/nowhere"), {});
});
