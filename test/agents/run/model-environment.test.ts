import assert from "node:assert/strict";
import { existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { gemini, geminiSessionPaths } from "../../../lib/agents/adapters/gemini.ts";
import { opencode } from "../../../lib/agents/adapters/opencode.ts";
import {
  modelEnvironment,
  passedOn,
  removeSession,
  temporaryFolderEnv,
} from "../../../lib/agents/run/model-environment.ts";
import { makeFolder } from "../../process/arrange.ts";
import { modelRun } from "../arrange.ts";

test("only the usual variables and those that are named are passed on, if they are set", () => {
  const env = { PATH: "/bin", HTTPS_PROXY: "p", AWS_SECRET_ACCESS_KEY: "x", MINE: "m", EMPTY: "", HOME: undefined };
  assert.deepEqual(passedOn(env, ["MINE", "EMPTY", "ABSENT"]), {
    PATH: "/bin",
    HTTPS_PROXY: "p",
    MINE: "m",
    EMPTY: "",
  });
});

test("a model learns its task, its repo and its files, and its role only as a reviewer", (t) => {
  const run = modelRun(t, { env: ["KEY"] }, { env: { PATH: "/bin", KEY: "k", OTHER: "o" } });
  const env = modelEnvironment(run, "/usage");
  assert.deepEqual([env.PATH, env.KEY, env.OTHER], ["/bin", "k", undefined]);
  assert.deepEqual(
    [env.TASK_PHASE_TASK_DIR, env.TASK_PHASE_REPO, env.TASK_PHASE_PHASE, env.TASK_PHASE_PASS],
    [run.taskDir, run.repo, "implement", "4"],
  );
  assert.deepEqual([env.TASK_PHASE_USAGE_FILE, "TASK_PHASE_ROLE" in env], ["/usage", false]);
  assert.equal(modelEnvironment({ ...run, role: "security" }, "").TASK_PHASE_ROLE, "security");
});

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

const id = "aa663c2e-7560-47b9-820b-8d7eee741ad3";

function put(...parts: readonly string[]): string {
  const path = join(...parts);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, "x");
  return path;
}

test("of gemini's folder exactly that session goes: its talk, its logs and the outputs of its tools", (t) => {
  const home = makeFolder(t);
  const project = join(home, ".gemini", "tmp", "app");
  const own = [
    put(project, "chats", "session-2026-11-22T03-54-aa663c2e.jsonl"),
    put(project, "chats", id, "helper.jsonl"),
    put(project, "logs", `session-${id}.jsonl`),
    put(project, "tool-outputs", `session-${id}`, "1.txt"),
    put(project, id, "scratch.txt"),
  ];
  const others = [
    put(project, "chats", "session-2026-11-22T03-54-bb663c2e.jsonl"),
    put(project, "chats", "notes-aa663c2e.jsonl"),
    put(project, ".project_root"),
    put(home, ".gemini", "settings.json"),
  ];
  removeSession(gemini, id, { HOME: home });
  assert.deepEqual(own.filter(existsSync), []);
  assert.deepEqual(others.filter(existsSync), others);
});

test("the session is looked for where gemini was configured to keep it", (t) => {
  const folder = makeFolder(t);
  const talk = put(folder, ".gemini", "tmp", "app", "chats", "session-2026-11-22T03-54-aa663c2e.jsonl");
  removeSession(gemini, id, { HOME: "/nowhere", GEMINI_CLI_HOME: folder });
  assert.equal(existsSync(talk), false);
});

test("nothing is removed for an id that gemini does not make, for no id, and for a CLI that leaves nothing", (t) => {
  const home = makeFolder(t);
  const kept = put(home, ".gemini", "tmp", "app", "chats", "session-1-..jsonl");
  for (const sessionId of ["..", ".", "", "aa663c2e", `${id}/..`]) {
    assert.deepEqual(geminiSessionPaths(join(home, ".gemini"), sessionId), []);
    removeSession(gemini, sessionId, { HOME: home });
  }
  removeSession(opencode, id, { HOME: home });
  assert.ok(existsSync(kept));
  assert.deepEqual(geminiSessionPaths("/nowhere", id), []);
});

test("a file that cannot be removed stays, and stops nothing", (t) => {
  const folder = makeFolder(t);
  const [file, other] = [put(folder, "file"), put(folder, "other")];
  removeSession({ ...gemini, sessionPaths: () => [join(file, "within-a-file"), other] }, id, {});
  assert.deepEqual([file, other].map(existsSync), [true, false]);
});
