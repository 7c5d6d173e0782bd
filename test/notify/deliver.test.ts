import assert from "node:assert/strict";
import { test } from "node:test";
import { type Delivery, deliver, toldOf } from "../../lib/notify/deliver.ts";
import { receive, testPorts } from "./arrange.ts";

/** The findings as `CODE: message`. */
const told = (key: "webhook" | "ping", url: string, delivery: Delivery = { kind: "taken", tries: 1 }) => {
  const { sent, host, findings } = toldOf(key, new URL(url), delivery);
  return [sent, host, ...findings.map(({ code, message }) => `${code}: ${message}`)];
};

test("what carries something over http is warned of, unless it stays on this machine", () => {
  const plain = "TP_NOTIFY_PLAIN: `notify.webhook` sends to a.example:81 without encryption";
  assert.deepEqual(told("webhook", "http://a.example:81/key"), [true, "a.example:81", plain]);
  for (const host of ["127.0.0.1:8000", "127.9.9.9", "[::1]:1", "localhost", "a.localhost"])
    assert.deepEqual(told("webhook", `http://${host}/`), [true, host]);
  for (const host of ["127.0.0.1.example", "localhost.example", "10.0.0.1"])
    assert.equal(told("webhook", `http://${host}/`).length, 3, host);
  assert.deepEqual(told("webhook", "https://a.example/key"), [true, "a.example"]);
  assert.deepEqual(told("ping", "http://a.example/"), [true, "a.example"]);
});

test("a failure names the host and the tries, and never the path", () => {
  const failed = (tries: number): Delivery => ({ kind: "failed", problem: "answered 500", tries });
  const code = "TP_NOTIFY_FAILED: the ping";
  assert.deepEqual(
    [failed(1), failed(3), { kind: "stopped" } as const].map((delivery) =>
      told("ping", "https://a.example/key", delivery),
    ),
    [
      [false, "a.example", `${code} was not delivered: a.example answered 500`],
      [false, "a.example", `${code} was not delivered: a.example answered 500, 3 tries`],
      [false, "a.example", `${code} to a.example was not sent: the call was stopped`],
    ],
  );
});

test("a server says when to try again, within five seconds in all", async (t) => {
  const after = (value: string) => async () => {
    const { origin } = await receive(t, (response) => void response.writeHead(503, { "retry-after": value }).end());
    const ports = testPorts();
    const call = { url: new URL(origin), method: "POST", headers: {}, body: "{}" } as const;
    const delivery = await deliver(() => call, ports);
    return [delivery.kind === "failed" && delivery.tries, ports.waits];
  };
  const date = new Date(1_000_000_001_000).toUTCString();
  assert.deepEqual(await after("1")(), [3, [1_000, 1_000]]);
  assert.deepEqual(await after("120")(), [2, [5_000]]);
  assert.deepEqual(await after(date)(), [3, [1_000, 1_000]]);
  assert.deepEqual(await after("Thu, 01 Jan 1970 00:00:00 GMT")(), [3, [0, 0]]);
  assert.deepEqual(await after("soon")(), [3, [500, 2_000]]);
});
