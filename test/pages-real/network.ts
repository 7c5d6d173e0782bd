import { type AddressInfo, createServer, type Server } from "node:net";

/** The only way out that the browser is given: it leads nowhere, and keeps what was asked for. */
export interface DeadEnd {
  readonly url: string;
  /** First lines of requests, as `CONNECT example.invalid:443 HTTP/1.1`, oldest first. */
  readonly asked: string[];
  close(): Promise<void>;
}

/**
 * A proxy that answers nothing. Unlike the events of the browser it also sees favicons, prefetches and what the browser
 * asks for on its own.
 */
export async function openDeadEnd(): Promise<DeadEnd> {
  const asked: string[] = [];
  const server: Server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", (data) => {
      asked.push(data.toString("latin1").split("\r\n")[0] ?? "");
      socket.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
