import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { makeFolder } from "../process/arrange.ts";
import type { Api } from "./api.ts";
import { clients, eventsIn, type Heard, type Question } from "./api-clients.ts";
import { demoTask } from "./demo-task.ts";
import { type ScriptedServer, startScriptedServer } from "./http-server.ts";
import type { Scenario } from "./scenarios.ts";

const write = { name: "write", schema: { properties: { path: { type: "string" }, content: { type: "string" } } } };
export const bash = {
  name: "Bash",
  schema: { properties: { command: { type: "string" }, why: {} }, required: ["why"] },
};
const read = { name: "read_file", schema: { properties: { file_path: { type: "string" } } } };
export const tools = [write, bash, read];

/** A server that is gone when the test ends. */
export async function serve(t: TestContext, scenario: Scenario): Promise<ScriptedServer> {
  const server = await startScriptedServer(scenario);
  t.after(() => server.close());
  return server;
}

export function ask(server: ScriptedServer, name: Api["name"], question: Question): Promise<Response> {
  const { path, body } = clients[name];
  return fetch(server.url + path(question.stream), { method: "POST", body: JSON.stringify(body(question)) });
}

/** What a client of the API understands of a streamed answer. */
export async function hear(
  server: ScriptedServer,
  name: Api["name"],
  question: Omit<Question, "stream">,
): Promise<Heard> {
  const response = await ask(server, name, { ...question, stream: true });
  assert.equal(response.status, 200);
  return clients[name].hear(eventsIn(await response.text()));
}

/** A prompt as the runner writes it, on a repo and a task folder that are there. */
export function makePrompt(t: TestContext, phase: string): { prompt: string; repo: string; taskDir: string } {
  const folder = makeFolder(t);
  const [repo, taskDir] = [join(folder, "repo"), join(folder, "task")];
  for (const path of [join(repo, "src"), taskDir]) mkdirSync(path, { recursive: true });
  writeFileSync(join(repo, "src/slug.mjs"), demoTask.repo["src/slug.mjs"] ?? "");
  writeFileSync(join(taskDir, "STATE.md"), "- Phase: implement\n- Current result:\n");
  const lines = [
    `- Phase: \`${phase}\` (x)`,
    `- Task folder: \`${taskDir}\``,
    `- Repo, where the work is done: \`${repo}\``,
  ];
  return { prompt: lines.join("\n"), repo, taskDir };
}
