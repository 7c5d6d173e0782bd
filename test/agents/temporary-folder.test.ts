import assert from "node:assert/strict";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gemini } from "../../lib/agents/adapters/gemini.ts";
import { opencode } from "../../lib/agents/adapters/opencode.ts";
import { temporaryFolderEnv } from "../../lib/agents/run/model-environment.ts";
import { makeFolder } from "../process/arrange.ts";

test("a CLI that leaves the conversation in temporary files gets a private folder that goes with the run", (t) => {
  const folder = makeFolder(t);
  assert.deepEqual(temporaryFolderEnv(gemini, folder), { TMPDIR: join(folder, "tmp") });
  assert.equal(statSync(join(folder, "tmp")).mode & 0o777, 0o700);
});

test("any other CLI keeps the folder that its user has", (t) => {
  const folder = makeFolder(t);
  assert.deepEqual(temporaryFolderEnv(opencode, folder), {});
  assert.equal(existsSync(join(folder, "tmp")), false);
});
