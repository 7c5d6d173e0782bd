import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { projectRoot } from "../cli/arrange.ts";
import { makeFolder } from "../process/arrange.ts";
import { callFor } from "./actions.ts";
import { type Api, objectOf, usage } from "./api.ts";
import { clients, eventsIn, type Heard, type Question, textIn } from "./api-clients.ts";
import { demoRepo, readPrompt } from "./demo-task.ts";
import { type ScriptedServer, startScriptedServer } from "./http-server.ts";
import { noise, type Scenario, scenarios } from "./scenarios.ts";

const names = Object.keys(clients) as Api["name"][];
const write = { name: "write", schema: { properties: { path: { type: "string" }, content: { type: "string" } } } };
const bash = { name: "Bash", schema: { properties: { command: { type: "string" }, why: {} }, required: ["why"] } };
const read = { name: "read_file", schema: { properties: { file_path: { type: "string" } } } };
const tools = [write, bash, read];

async function serve(t: TestContext, scenario: Scenario): Promise<ScriptedServer> {
  const server = await startScriptedServer(scenario);
  t.after(() => server.close());
  return server;
}

function ask(server: ScriptedServer, name: Api["name"], question: Question): Promise<Response> {
  const { path, body } = clients[name];
  return fetch(server.url + path(question.stream), { method: "POST", body: JSON.stringify(body(question)) });
}

async function hear(server: ScriptedServer, name: Api["name"], question: Omit<Question, "stream">): Promise<Heard> {
  const response = await ask(server, name, { ...question, stream: true });
  assert.equal(response.status, 200);
  return clients[name].hear(eventsIn(await response.text()));
}

/** A prompt as the runner writes it, on a repo and a task folder that are there. */
function makePrompt(t: TestContext, phase: string): { prompt: string; repo: string; taskDir: string } {
  const folder = makeFolder(t);
  const [repo, taskDir] = [join(folder, "repo"), join(folder, "task")];
  for (const path of [join(repo, "src"), taskDir]) mkdirSync(path, { recursive: true });
  writeFileSync(join(repo, "src/slug.mjs"), demoRepo["src/slug.mjs"] ?? "");
  writeFileSync(join(taskDir, "STATE.md"), "- Phase: implement\n- Current result:\n");
  const lines = [
    `- Phase: \`${phase}\` (x)`,
    `- Task folder: \`${taskDir}\``,
    `- Repo, where the work is done: \`${repo}\``,
  ];
  return { prompt: lines.join("\n"), repo, taskDir };
}

for (const name of names) {
  test(`${name}: an answer in words is the same whether it is streamed or not, with its tokens`, async (t) => {
    const server = await serve(t, scenarios.talk());
    const streamed = await hear(server, name, { prompt: "hello", tools });
    const whole = await ask(server, name, { prompt: "hello", tools, stream: false });
    assert.deepEqual(streamed, { text: textIn(name, objectOf(await whole.json())), call: null, output: usage.output });
    assert.match(streamed.text, /seems fine/);
    const seen = { api: name, model: "m", prompt: "hello", tools: ["write", "Bash", "read_file"], toolResults: 0 };
    assert.deepEqual(
      server.seen.map(({ at: _, ...rest }) => rest),
      [1, 2].map(() => ({ ...seen, reaction: "answer" })),
    );
  });

  test(`${name}: the work of a phase is done with the declared tools, step by step`, async (t) => {
    const { prompt, repo, taskDir } = makePrompt(t, "implement");
    const server = await serve(t, scenarios.task());
    const calls: unknown[] = [];
    let last: Heard;
    for (let toolResults = 0; ; toolResults += 1) {
      last = await hear(server, name, { prompt, tools, toolResults });
      if (last.call === null) break;
      const { content, ...input } = objectOf(last.call.input);
      calls.push([last.call.name, input, content === undefined ? null : String(content).split("\n")[0]]);
    }
    const [source, report, state] = [
      join(repo, "src/slug.mjs"),
      join(taskDir, "artifacts/slug.md"),
      join(taskDir, "STATE.md"),
    ];
    assert.deepEqual(calls, [
      ["read_file", { file_path: source }, null],
      ["write", { path: source }, "export function slug(title) {"],
      ["write", { path: report }, "# Report"],
      ["read_file", { file_path: state }, null],
      ["write", { path: state }, "- Phase: verify"],
    ]);
    assert.equal(last.text, "slug() is written.");
  });

  test(`${name}: an empty answer has no words and no call`, async (t) => {
    const heard = await hear(await serve(t, scenarios.empty()), name, { prompt: "hello", tools });
    assert.deepEqual(heard, { text: "", call: null, output: usage.output });
  });

  test(`${name}: each failure has the status and the words of its provider`, async (t) => {
    const seen: unknown[] = [];
    for (const failing of [
      scenarios.rate_limit(20),
      scenarios.plan_limit(20),
      scenarios.quota(),
      scenarios.overloaded(),
      scenarios.auth(),
      scenarios.context(),
    ]) {
      const response = await ask(await serve(t, failing), name, { prompt: "hello", tools, stream: true });
      const error = objectOf(objectOf(await response.json()).error);
      seen.push([response.status, error.type ?? error.status, response.headers.get("retry-after")]);
    }
    const openai = [
      [429, "requests", "20"],
      [429, "usage_limit_reached", null],
      [429, "insufficient_quota", null],
      [503, "server_error", null],
      [401, "invalid_request_error", null],
      [400, "invalid_request_error", null],
    ];
    const expected = {
      anthropic: [
        [429, "rate_limit_error", "20"],
        [429, "rate_limit_error", "20"],
        [400, "invalid_request_error", null],
        [529, "overloaded_error", null],
        [401, "authentication_error", null],
        [400, "invalid_request_error", null],
      ],
      chat: openai,
      responses: openai,
      gemini: [
        [429, "RESOURCE_EXHAUSTED", null],
        [429, "RESOURCE_EXHAUSTED", null],
        [429, "RESOURCE_EXHAUSTED", null],
        [503, "UNAVAILABLE", null],
        [400, "INVALID_ARGUMENT", null],
        [400, "INVALID_ARGUMENT", null],
      ],
    };
    assert.deepEqual(seen, expected[name]);
  });

  test(`${name}: a limit resets where it is named, and says nothing of it where it is not`, async (t) => {
    const words = async (resetInS: number | null) =>
      (await ask(await serve(t, scenarios.rate_limit(resetInS)), name, { prompt: "", tools, stream: true })).text();
    const inBody = name === "anthropic" ? /exceeded your rate limit/ : /(?:try again|retry) in 20s/;
    assert.match(await words(20), inBody);
    assert.doesNotMatch(await words(null), /in \d+s|retryDelay/);
  });

  test(`${name}: two limits, then the work`, async (t) => {
    const { prompt } = makePrompt(t, "implement");
    const server = await serve(t, scenarios.recovers());
    const statuses = [];
    for (let count = 0; count < 3; count += 1) {
      statuses.push((await ask(server, name, { prompt, tools, stream: false })).status);
    }
    assert.deepEqual(statuses, [429, 429, 200]);
  });

  test(`${name}: an answer is cut in the middle`, async (t) => {
    const server = await serve(t, scenarios.cut());
    const response = await ask(server, name, { prompt: "hello", tools, stream: true });
    await assert.rejects(response.text());
    await assert.rejects(ask(server, name, { prompt: "hello", tools, stream: false }));
  });

  test(`${name}: an answer never comes, until the server is closed`, async (t) => {
    const server = await startScriptedServer(scenarios.silence());
    t.after(() => server.close());
    const answer = ask(server, name, { prompt: "hello", tools, stream: true }).then(
      () => "answered",
      () => "closed",
    );
    while (server.seen.length === 0) await sleep(5);
    assert.equal(await Promise.race([answer, sleep(50, "silent")]), "silent");
    await server.close();
    assert.equal(await answer, "closed");
  });

  test(`${name}: what a CLI asks beside the work is answered beside it`, async (t) => {
    const server = await serve(t, scenarios.task());
    assert.equal((await hear(server, name, { prompt: "A title, please" })).text, "A short title");
    assert.equal(server.seen[0]?.reaction, "aside");
  });
}

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

test("what is no question is answered in the way of a provider", async (t) => {
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
