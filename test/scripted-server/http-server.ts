import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { anthropic } from "./anthropic.ts";
import { type Api, type Json, type ModelRequest, objectOf, type Reply, type StreamEvent } from "./api.ts";
import { chat } from "./chat.ts";
import { gemini } from "./gemini.ts";
import { responses } from "./responses.ts";
import { answerAside, type Reaction, type Scenario } from "./scenarios.ts";

const apis: readonly Api[] = [anthropic, chat, responses, gemini];

export interface SeenRequest {
  readonly at: number;
  readonly api: Api["name"];
  readonly model: string;
  readonly prompt: string;
  readonly tools: readonly string[];
  readonly toolResults: number;
  /** `aside` for a request that is not about the work. */
  readonly reaction: Reaction["kind"] | "aside";
}

export interface ScriptedServer {
  /** `http://127.0.0.1:PORT`, without a path. */
  readonly url: string;
  readonly seen: readonly SeenRequest[];
  /** Ends every connection too. */
  close(): Promise<void>;
}

/** Plays one scenario to whoever asks, on a free port of the loopback interface. */
export async function startScriptedServer(scenario: Scenario): Promise<ScriptedServer> {
  const seen: SeenRequest[] = [];
  const server = createServer((request, response) => {
    void answer(request, response, scenario, seen).catch((error: unknown) => response.destroy(error as Error));
  });
  // A CLI may try a WebSocket first; it goes on without one.
  server.on("upgrade", (_request, socket) => socket.end("HTTP/1.1 426 Upgrade Required\r\nConnection: close\r\n\r\n"));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  scenario: Scenario,
  seen: SeenRequest[],
): Promise<void> {
  const { pathname } = new URL(request.url ?? "/", "http://127.0.0.1");
  const body = await readBody(request);
  const found = understand(pathname, body);
  if (found === null) {
    const { status, words } = answerOther(request.method ?? "", pathname);
    return sendJson(response, status, words);
  }
  const { api, asked } = found;
  const aside = answerAside(asked);
  const reaction = scenario(asked, seen.filter(({ reaction }) => reaction !== "aside").length + 1);
  seen.push({
    at: Date.now(),
    api: api.name,
    model: asked.model,
    prompt: asked.prompt,
    tools: asked.tools.map((tool) => tool.name),
    toolResults: asked.toolResults,
    reaction: aside === null ? reaction.kind : "aside",
  });
  if (reaction.kind === "silence") return;
  if (reaction.kind === "fail") {
    const failure = api.fail(reaction.failure, reaction.resetInS);
    return sendJson(response, failure.status, failure.body, failure.headers);
  }
  const cut = reaction.kind === "cut";
  const reply = api.reply(asked, cut ? reaction.answer : (aside ?? reaction.answer), seen.length);
  if (asked.stream) stream(response, reply, cut);
  else if (cut) response.destroy();
  else sendJson(response, 200, reply.whole);
}

function understand(path: string, body: Json): { readonly api: Api; readonly asked: ModelRequest } | null {
  for (const api of apis) {
    const asked = api.read(path, body);
    if (asked !== null) return { api, asked };
  }
  return null;
}

/** What CLIs ask beside: which models there are, how many tokens a text has, and for a new token. */
function answerOther(method: string, path: string): { readonly status: number; readonly words: object } {
  if (path.endsWith("/count_tokens")) return { status: 200, words: { input_tokens: 1_000 } };
  if (path.endsWith(":countTokens")) return { status: 200, words: { totalTokens: 1_000 } };
  if (path.endsWith("/oauth/token")) return { status: 401, words: { error: { code: "refresh_token_expired" } } };
  if (method === "GET" && path.endsWith("/models"))
    return { status: 200, words: { object: "list", data: [], models: [] } };
  return { status: 404, words: { error: { type: "not_found_error", code: 404, message: "not found" } } };
}

function stream(response: ServerResponse, { events }: Reply, cut: boolean): void {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  for (const event of cut ? events.slice(0, Math.ceil(events.length / 2)) : events) response.write(eventText(event));
  // What was written must be on its way before the connection is cut.
  if (cut) setTimeout(() => response.destroy(), 20);
  else response.end();
}

function eventText({ name, data }: StreamEvent): string {
  return `${name === null ? "" : `event: ${name}\n`}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
}

function sendJson(response: ServerResponse, status: number, body: object, headers: object = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

async function readBody(request: IncomingMessage): Promise<Json> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  try {
    return objectOf(JSON.parse(Buffer.concat(chunks).toString("utf8")));
  } catch {
    return {};
  }
}
