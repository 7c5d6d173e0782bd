import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type Api, objectOf, usage } from "./api.ts";
import { clients, type Heard, textIn } from "./api-clients.ts";
import { ask, hear, makePrompt, serve, tools } from "./arrange.ts";
import { startScriptedServer } from "./http-server.ts";
import { scenarios } from "./scenarios.ts";

const names = Object.keys(clients) as Api["name"][];

for (const name of names) {
  test(`${name}: an answer in words is the same whether it is streamed or not, with its tokens`, async (t) => {
    const server = await serve(t, scenarios.question());
    const streamed = await hear(server, name, { prompt: "hello", tools });
    const whole = await ask(server, name, { prompt: "hello", tools, stream: false });
    assert.deepEqual(streamed, { text: textIn(name, objectOf(await whole.json())), call: null, output: usage.output });
    assert.match(streamed.text, /keep accents/);
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
      scenarios.expired(),
      scenarios.unknown_model(),
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
      [401, undefined, null],
      [404, "invalid_request_error", null],
      [400, "invalid_request_error", null],
    ];
    const expected = {
      anthropic: [
        [429, "rate_limit_error", "20"],
        [429, "rate_limit_error", "20"],
        [400, "invalid_request_error", null],
        [529, "overloaded_error", null],
        [401, "authentication_error", null],
        [401, "authentication_error", null],
        [404, "not_found_error", null],
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
        [404, "NOT_FOUND", null],
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
