import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import type { ServerResponse } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { test } from "node:test";
import { sendWebhook } from "../../lib/notify/send-webhook.ts";
import { body, receive, redirectTo, target, testPorts } from "./arrange.ts";

const hook = (origin: string) => target({ webhookUrl: `${origin}/hook?token=abc` });
const told = ({ findings }: { findings: readonly { code: string; message: string }[] }) =>
  findings.map(({ code, message }) => `${code} ${message}`);

test("a webhook is one POST of the body as JSON, with an id and a time, and who sends it", async (t) => {
  const there = await receive(t, 204);
  const result = await sendWebhook(hook(there.origin), body, testPorts());
  assert.deepEqual(result, { sent: true, host: there.host, findings: [] });
  const [request] = there.received;
  assert.deepEqual(
    [there.received.length, request?.method, request?.path, JSON.parse(request?.body ?? "")],
    [1, "POST", "/hook?token=abc", body],
  );
  const { host, connection, ...headers } = request?.headers ?? {};
  assert.deepEqual(headers, {
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(JSON.stringify(body))),
    "user-agent": "task-phase/1.2.3",
    "webhook-id": "msg_1",
    "webhook-timestamp": "1000000000",
  });
});

test("where a secret is named, the signature is that of Standard Webhooks over id, time and the bytes sent", async (t) => {
  const there = await receive(t, 200);
  const keys = {
    PLAIN_SECRET: ["schlüssel", Buffer.from("schlüssel")],
    WHSEC_SECRET: ["whsec_AAECAwQ=", "\0\x01\x02\x03\x04"],
  };
  for (const [name, [value, key]] of Object.entries(keys)) {
    const ports = testPorts({ env: { [name]: `${value}\n` } });
    await sendWebhook({ ...hook(there.origin), secretEnv: name }, body, ports);
    const request = there.received.at(-1);
    const signed = createHmac("sha256", key ?? "")
      .update(`msg_1.1000000000.${request?.body}`)
      .digest("base64");
    assert.equal(request?.headers["webhook-signature"], `v1,${signed}`, name);
  }
});

test("where the secret does not exist, nothing is sent and a warning names the variable", async (t) => {
  const there = await receive(t, 200);
  const config = { ...hook(there.origin), secretEnv: "HOOK_SECRET" };
  const missing =
    "TP_NOTIFY_SECRET the webhook was not sent: the environment variable HOOK_SECRET, named by `notify.secret_env`, is not set";
  for (const env of [{}, { HOOK_SECRET: "" }, { HOOK_SECRET: " \n" }]) {
    assert.deepEqual(told(await sendWebhook(config, body, testPorts({ env }))), [missing]);
  }
  assert.deepEqual(told(await sendWebhook(config, body, testPorts({ env: { HOOK_SECRET: "whsec_no base64" } }))), [
    missing.replace("is not set", "has no base64 after `whsec_`"),
  ]);
  assert.equal(there.received.length, 0);
});

test("without a webhook nothing happens", async () => {
  const result = await sendWebhook(target({ secretEnv: "HOOK_SECRET" }), body, testPorts());
  assert.deepEqual(result, { sent: false, host: null, findings: [] });
});

test("a failure that may pass soon is tried three times, each signed with its own time", async (t) => {
  const there = await receive(t, 500, 408, 200);
  let seconds = 1_000_000_000;
  const ports = testPorts({ env: { HOOK_SECRET: "s" }, now: () => new Date(seconds++ * 1_000) });
  const result = await sendWebhook({ ...hook(there.origin), secretEnv: "HOOK_SECRET" }, body, ports);
  assert.deepEqual([result.sent, result.findings, ports.waits], [true, [], [500, 2_000]]);
  const sent = there.received.map(({ headers }) => [headers["webhook-id"], headers["webhook-signature"]]);
  assert.deepEqual(
    sent.map(([id]) => id),
    ["msg_1", "msg_1", "msg_1"],
  );
  assert.equal(new Set(sent.map(([, signature]) => signature)).size, 3);
});

test("after the third try it is given up, with one warning that says the host and not the rest of the URL", async (t) => {
  for (const status of [500, 503, 425]) {
    const there = await receive(t, status);
    const result = await sendWebhook(hook(there.origin), body, testPorts());
    assert.deepEqual(
      [result.sent, told(result), there.received.length],
      [false, [`TP_NOTIFY_FAILED the webhook was not delivered: ${there.host} answered ${status}, 3 tries`], 3],
    );
    assert.deepEqual(
      result.findings.map(({ severity }) => severity),
      ["warning"],
    );
    assert.doesNotMatch(JSON.stringify(result), /hook\?|abc/);
  }
});

test("any other answer is final at the first try", async (t) => {
  for (const status of [400, 401, 404, 410, 304]) {
    const there = await receive(t, status);
    const result = await sendWebhook(hook(there.origin), body, testPorts());
    assert.deepEqual(
      [told(result), there.received.length],
      [[`TP_NOTIFY_FAILED the webhook was not delivered: ${there.host} answered ${status}`], 1],
    );
  }
});

test("Retry-After is kept to, in seconds or as a date, as far as five seconds of waiting go", async (t) => {
  const after =
    (value: string, status = 429) =>
    (response: ServerResponse) =>
      void response.writeHead(status, { "retry-after": value }).end();
  const date = new Date(1_000_000_003_000).toUTCString();
  const cases: [value: string, waits: number[], tries: number][] = [
    ["1", [1_000, 1_000], 3],
    ["0", [0, 0], 3],
    [date, [3_000], 2],
    ["Thu, 01 Jan 1970 00:00:00 GMT", [0, 0], 3],
    ["3600", [5_000], 2],
    ["soon", [500, 2_000], 3],
  ];
  for (const [value, waits, tries] of cases) {
    const there = await receive(t, after(value));
    const ports = testPorts();
    await sendWebhook(hook(there.origin), body, ports);
    assert.deepEqual([ports.waits, there.received.length], [waits, tries], value);
  }
});

test("a redirect to another host is not followed: that host gets nothing", async (t) => {
  const other = await receive(t, 200);
  const port = other.host.split(":")[1];
  for (const location of [other.origin, `//${other.host}/x`, `http://localhost:${port}/`]) {
    const there = await receive(t, redirectTo(location));
    const problem = "redirects to another host, port or scheme, which is not followed";
    assert.deepEqual(
      [told(await sendWebhook(hook(there.origin), body, testPorts())), there.received.length],
      [[`TP_NOTIFY_FAILED the webhook was not delivered: ${there.host} ${problem}`], 1],
    );
  }
  assert.equal(other.received.length, 0);
});

test("a redirect on the same host is followed with the same POST, where its status keeps it one", async (t) => {
  for (const status of [307, 308]) {
    const there = await receive(t, redirectTo("/there?a=b", status), 200);
    assert.equal((await sendWebhook(hook(there.origin), body, testPorts())).sent, true);
    assert.deepEqual(
      there.received.map(({ method, path, body: sent }) => [method, path, sent === JSON.stringify(body)]),
      [
        ["POST", "/hook?token=abc", true],
        ["POST", "/there?a=b", true],
      ],
    );
  }
  for (const status of [301, 302, 303]) {
    const there = await receive(t, redirectTo("/there", status));
    const [warning] = told(await sendWebhook(hook(there.origin), body, testPorts()));
    assert.match(warning ?? "", new RegExp(`redirects with ${status}, which would turn the POST into a GET$`));
    assert.equal(there.received.length, 1);
  }
});

test("at most three redirects are followed", async (t) => {
  const there = await receive(t, redirectTo("/again"));
  assert.deepEqual(told(await sendWebhook(hook(there.origin), body, testPorts())), [
    `TP_NOTIFY_FAILED the webhook was not delivered: ${there.host} redirects more than 3 times`,
  ]);
  assert.equal(there.received.length, 4);
});

test("a server that never answers is given up after its time, three times", async (t) => {
  const there = await receive(t, () => {});
  const result = await sendWebhook(hook(there.origin), body, testPorts({ tryMs: 30 }));
  assert.deepEqual(told(result), [
    `TP_NOTIFY_FAILED the webhook was not delivered: ${there.host} gave no answer within 30ms, 3 tries`,
  ]);
});

test("a body without end does not hold the call up, and is not read on", async (t) => {
  let written = 0;
  const endless = await receive(t, (response) => {
    const piece = Buffer.alloc(16 * 1024, "x");
    const write = (): void => {
      while (!response.destroyed && response.write(piece)) written += piece.length;
      response.once("drain", write);
    };
    response.writeHead(200);
    write();
  });
  const dripping = await receive(t, (response) => void response.writeHead(200).write("x"));
  assert.equal((await sendWebhook(hook(endless.origin), body, testPorts())).sent, true);
  assert.ok(written < 16 * 1024 * 1024, `${written} bytes`);
  assert.equal((await sendWebhook(hook(dripping.origin), body, testPorts({ tryMs: 300 }))).sent, true);
  assert.deepEqual([endless.received.length, dripping.received.length], [1, 1]);
});

test("a connection that is refused or cut is tried again, and said in words", async (t) => {
  const refusing = createServer();
  await new Promise<void>((resolve) => refusing.listen(0, "127.0.0.1", resolve));
  const { port } = refusing.address() as AddressInfo;
  await new Promise((resolve) => refusing.close(resolve));
  const ports = testPorts();
  assert.deepEqual(told(await sendWebhook(hook(`http://127.0.0.1:${port}`), body, ports)), [
    `TP_NOTIFY_FAILED the webhook was not delivered: 127.0.0.1:${port} refused the connection (ECONNREFUSED), 3 tries`,
  ]);
  assert.deepEqual(ports.waits, [500, 2_000]);
  const cutting = await receive(t, (response) => void response.socket?.destroy(), 200);
  assert.equal((await sendWebhook(hook(cutting.origin), body, testPorts())).sent, true);
  assert.equal(cutting.received.length, 2);
});

test("an answer that is no HTTP is a failure like any other", async (t) => {
  const server = createServer((socket) => void socket.on("error", () => {}).end("\x1b[31mnonsense\r\n\r\n"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const [warning] = told(await sendWebhook(hook(`http://127.0.0.1:${port}`), body, testPorts()));
  assert.match(warning ?? "", /^TP_NOTIFY_FAILED .* could not be reached \(HPE_[A-Z_]+\), 3 tries$/);
});

test("https is spoken or nothing is: a server without it gets no request", async (t) => {
  const there = await receive(t, 200);
  const result = await sendWebhook(hook(`https://${there.host}`), body, testPorts());
  assert.match(
    told(result)[0] ?? "",
    /^TP_NOTIFY_FAILED .* could not be reached \((?:EPROTO|ERR_SSL_[A-Z_]+)\), 3 tries$/,
  );
  assert.equal(there.received.length, 0);
});

test("a redirect whose target does not answer is tried again from the start", async (t) => {
  const there = await receive(t, redirectTo("/there"), 503, redirectTo("/there"), 200);
  assert.equal((await sendWebhook(hook(there.origin), body, testPorts())).sent, true);
  assert.equal(there.received.length, 4);
});

test("the signal ends a try, a wait and what has not begun at once", async (t) => {
  const hanging = await receive(t, () => stop.abort("SIGTERM"));
  const stop = new AbortController();
  const stopped = `TP_NOTIFY_FAILED the webhook to ${hanging.host} was not sent: the call was stopped`;
  assert.deepEqual(told(await sendWebhook(hook(hanging.origin), body, testPorts({ signal: stop.signal }))), [stopped]);
  assert.deepEqual(told(await sendWebhook(hook(hanging.origin), body, testPorts({ signal: stop.signal }))), [stopped]);
  assert.equal(hanging.received.length, 1);

  const later = new AbortController();
  const busy = await receive(t, (response) => {
    response.writeHead(503).end();
    // In the wait that follows, which takes longer.
    setTimeout(() => later.abort("SIGINT"), 60);
  });
  const { sleep, ...ports } = testPorts({ signal: later.signal });
  const [warning] = told(await sendWebhook(hook(busy.origin), body, ports));
  assert.match(warning ?? "", /the call was stopped$/);
  assert.equal(busy.received.length, 1);
});

test("a call that is stopped in its last try says that, not that the host was silent", async (t) => {
  const stop = new AbortController();
  const there = await receive(t, 500, 500, () => stop.abort("SIGINT"));
  const [warning] = told(await sendWebhook(hook(there.origin), body, testPorts({ signal: stop.signal })));
  assert.match(warning ?? "", /the call was stopped$/);
});

test("a sleep of the caller's that rejects on the signal is no error; one that breaks is", async (t) => {
  const busy = await receive(t, 503);
  const stop = new AbortController();
  const rejects = async (): Promise<void> => {
    stop.abort();
    throw new Error("aborted");
  };
  const [warning] = told(
    await sendWebhook(hook(busy.origin), body, testPorts({ signal: stop.signal, sleep: rejects })),
  );
  assert.match(warning ?? "", /the call was stopped$/);
  const breaks = () => Promise.reject(new Error("no clock"));
  await assert.rejects(sendWebhook(hook(busy.origin), body, testPorts({ sleep: breaks })), /no clock/);
});

test("plain http to another machine is warned of, and to this one is not", async () => {
  const stop = new AbortController();
  stop.abort();
  const codes = async (webhookUrl: string) =>
    (await sendWebhook(target({ webhookUrl }), body, testPorts({ signal: stop.signal }))).findings.map(
      ({ code }) => code,
    );
  for (const url of ["http://hooks.example/x", "http://127.0.0.1.example/", "http://10.0.0.1:80/"]) {
    assert.deepEqual(await codes(url), ["TP_NOTIFY_PLAIN", "TP_NOTIFY_FAILED"], url);
  }
  for (const url of [
    "https://hooks.example/",
    "http://127.1.2.3/",
    "http://[::1]:8/",
    "http://localhost/",
    "http://a.localhost/",
  ]) {
    assert.deepEqual(await codes(url), ["TP_NOTIFY_FAILED"], url);
  }
});
