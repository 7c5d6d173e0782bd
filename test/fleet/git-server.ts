import { spawn } from "node:child_process";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import type { Fleet } from "./fleet-world.ts";

export interface GitServer {
  /** Of the fleet's remote. */
  readonly url: string;
  /** What becomes of the next pushes, in this order; then they are taken as they should be. */
  readonly faults: Fault[];
}

/**
 * `cut`: the push is taken, and the connection breaks before the answer. `refuse`: 503, and nothing is taken. `garble`:
 * taken, and the answer is that of a broken proxy.
 */
export type Fault = "cut" | "refuse" | "garble";

/** git's own server behind HTTP, which can break off. */
export async function serveGit(t: TestContext, fleet: Fleet): Promise<GitServer> {
  const faults: Fault[] = [];
  fleet.inRemote("config", "http.receivepack", "true");
  const server = createServer((request, response) => {
    const isPush = request.method === "POST" && (request.url ?? "").endsWith("/git-receive-pack");
    answer(fleet, request, response, isPush ? (faults.shift() ?? null) : null);
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/remote.git`, faults };
}

function answer(fleet: Fleet, request: IncomingMessage, response: ServerResponse, fault: Fault | null): void {
  if (fault === "refuse") {
    response.writeHead(503).end("busy\n");
    return;
  }
  const { pathname, search } = new URL(request.url ?? "/", "http://localhost");
  const backend = spawn("git", ["http-backend"], {
    env: {
      ...fleet.env,
      GIT_PROJECT_ROOT: fleet.folder,
      GIT_HTTP_EXPORT_ALL: "1",
      REQUEST_METHOD: request.method ?? "GET",
      PATH_INFO: pathname,
      QUERY_STRING: search.slice(1),
      CONTENT_TYPE: request.headers["content-type"] ?? "",
      HTTP_CONTENT_ENCODING: request.headers["content-encoding"] ?? "",
      GIT_PROTOCOL: String(request.headers["git-protocol"] ?? ""),
      REMOTE_USER: "fleet",
      REMOTE_ADDR: "127.0.0.1",
    },
  });
  fleet.watch(backend);
  request.pipe(backend.stdin);
  backend.stdin.on("error", () => undefined);
  const chunks: Buffer[] = [];
  backend.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  backend.on("close", () => {
    if (fault === "cut") {
      response.destroy();
      return;
    }
    if (fault === "garble") {
      response.writeHead(502, { "content-type": "text/html" }).end("<h1>Bad gateway</h1>\n");
      return;
    }
    const whole = Buffer.concat(chunks);
    const end = whole.indexOf("\r\n\r\n");
    const headers = Object.fromEntries(
      whole
        .subarray(0, end)
        .toString("latin1")
        .split("\r\n")
        .map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim()]),
    );
    const { Status: status = "200", ...rest } = headers;
    response.writeHead(Number.parseInt(status, 10), rest).end(whole.subarray(end + 4));
  });
}
