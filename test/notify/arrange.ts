import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import type { NotifyConfig } from "../../lib/documents/config/config-schema.ts";
import type { NotifyPorts } from "../../lib/notify/deliver.ts";
import type { WebhookBody } from "../../lib/notify/send-webhook.ts";

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Receiver {
  /** Such as `http://127.0.0.1:40123`. */
  readonly origin: string;
  readonly host: string;
  readonly received: Received[];
}

/** What the receiver does with its first, second, ... request; the last goes for all that follow. */
export type Reply = number | ((response: ServerResponse, request: Received) => void);

/** A server of this process on a port of its own; gone when the test ends. */
export async function receive(t: TestContext, ...replies: readonly Reply[]): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer((incoming, response) => {
    void readBody(incoming).then((body) => {
      const request = { method: incoming.method ?? "", path: incoming.url ?? "", headers: incoming.headers, body };
      const reply = replies[received.length] ?? replies.at(-1) ?? 200;
      received.push(request);
      if (typeof reply === "number") response.writeHead(reply).end();
      else reply(response, request);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { origin: `http://${host}`, host, received };
}

async function readBody(incoming: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of incoming) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString("utf8");
}

export function redirectTo(location: string, status = 307): Reply {
  return (response) => void response.writeHead(status, { location }).end();
}

export const target = (parts: Partial<NotifyConfig>): NotifyConfig => ({
  webhookUrl: null,
  secretEnv: null,
  pingUrl: null,
  ...parts,
});

export const body: WebhookBody = {
  version: 1,
  id: "msg_1",
  event: "task.blocked",
  at: "2026-11-21T10:00:00.000Z",
  task: { id: "T-1", title: "Stream the export — ü" },
  from: "implement",
  to: "blocked",
  verdict: "accepted",
  reason: "the key is missing",
  pass: 3,
  exit_code: 21,
  exit_name: "blocked",
  model: "mine",
  cost_usd: 0.12,
  questions: [],
  asked: [],
  evidence: "artifacts/evidence.html",
  evidence_url: null,
  evidence_pushed: null,
};

export interface TestPorts extends NotifyPorts {
  /** How long each wait was asked to be; none takes any time. */
  readonly waits: number[];
}

/** A clock that stands at 1 000 000 000 s, and waits that take no time. */
export function testPorts(parts: Partial<NotifyPorts> = {}): TestPorts {
  const waits: number[] = [];
  return {
    env: {},
    now: () => new Date(1_000_000_000_000),
    signal: new AbortController().signal,
    version: "1.2.3",
    sleep: async (ms) => void waits.push(ms),
    ...parts,
    waits,
  };
}
