import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { projectRoot } from "../cli/arrange.ts";
import { callFor } from "./actions.ts";
import { objectOf, usage } from "./api.ts";
import { textIn } from "./api-clients.ts";
import { bash, hear, makePrompt, serve, tools } from "./arrange.ts";
import { readPrompt } from "./demo-task.ts";
import { noise, scenarios } from "./scenarios.ts";

test("work among words of a limit says them with each step, and runs a command that prints them", async (t) => {
  const { prompt } = makePrompt(t, "implement");
  const server = await serve(t, scenarios.noisy());
  const first = await hear(server, "chat", { prompt, tools });
  assert.deepEqual(first, {
    text: noise,
    call: { name: "Bash", input: { command: `echo '${noise}'; exit 1`, why: "scripted" } },
    output: usage.output,
  });
  const last = await hear(server, "chat", { prompt, tools, toolResults: 6 });
  assert.equal(last.text, `${noise}\n\nslug() is written.\n\n${noise}`);
});

test("the command that never ends comes after a change to the repo", async (t) => {
  const { prompt, repo } = makePrompt(t, "implement");
  const server = await serve(t, scenarios.endless_command());
  const steps = [0, 1].map((toolResults) => hear(server, "chat", { prompt, tools, toolResults }));
  const [change, endless] = (await Promise.all(steps)).map((heard) => objectOf(heard.call?.input));
  assert.equal(change?.path, join(repo, "half.txt"));
  assert.equal(endless?.command, "tail -f /dev/null");
});

test("a router's question is answered with JSON of its schema", async (t) => {
  const server = await serve(t, scenarios.task());
  const schema = {
    properties: { choice: { enum: ["flash", "pro"] }, score: { type: "integer" } },
    required: ["choice", "score"],
  };
  const body = {
    contents: [{ role: "user", parts: [{ text: "which?" }] }],
    generationConfig: { responseJsonSchema: schema },
  };
  const path = "/v1beta/models/m:generateContent";
  const response = await fetch(server.url + path, { method: "POST", body: JSON.stringify(body) });
  assert.deepEqual(JSON.parse(textIn("gemini", objectOf(await response.json()))), { choice: "flash", score: 1 });
});

test("a request that is no question is answered as a provider would", async (t) => {
  const server = await serve(t, scenarios.task());
  const get = async (path: string, method = "GET") => {
    const response = await fetch(server.url + path, { method });
    return [response.status, Object.keys(objectOf(await response.json()))];
  };
  assert.deepEqual(await get("/v1/models"), [200, ["object", "data", "models"]]);
  assert.deepEqual(await get("/v1/messages/count_tokens", "POST"), [200, ["input_tokens"]]);
  assert.deepEqual(await get("/v1beta/models/m:countTokens", "POST"), [200, ["totalTokens"]]);
  assert.deepEqual(await get("/elsewhere"), [404, ["error"]]);
});

test("without a tool for files a command does it, and a cell of code where commands are wrapped", () => {
  const text = "it's\n";
  const shell = callFor({ do: "write", path: "/a b/c", text }, [bash]);
  assert.deepEqual(shell, {
    name: "Bash",
    input: {
      command: `mkdir -p "$(dirname '/a b/c')" && cat > '/a b/c' <<'END_OF_FILE'\n${text}END_OF_FILE`,
      why: "scripted",
    },
  });
  const cell = callFor({ do: "read", path: "/a" }, [{ name: "exec", schema: null }]);
  assert.deepEqual(cell, {
    name: "exec",
    text: `text(JSON.stringify(await tools.exec_command({ cmd: "cat '/a'" })));\n`,
  });
  assert.equal(callFor({ do: "read", path: "/a" }, []), null);
});

test("the place of a pass is read from the runner's own prompt", () => {
  const template = readFileSync(join(projectRoot, "templates/prompt.md.eta"), "utf8");
  assert.match(template, /^- Phase: `/m);
  assert.match(template, /^- Task folder: /m);
  assert.match(template, /^- Repo, where the work is done: /m);
  assert.equal(readPrompt("Say hello."), null);
});
