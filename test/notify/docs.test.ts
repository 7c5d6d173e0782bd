import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { pingOutcome } from "../../lib/notify/send-ping.ts";
import { sendWebhook, webhookEvents } from "../../lib/notify/send-webhook.ts";
import { type ExitName, exitCodes } from "../../lib/text/exit-codes.ts";
import { projectRoot } from "../cli/arrange.ts";
import { body, receive, target, testPorts } from "./arrange.ts";

const docs = readFileSync(path.join(projectRoot, "docs", "notify.md"), "utf8");

type IsGenuine = (headers: Record<string, unknown>, body: string, secret: string, nowMs?: number) => boolean;

test("docs/recipes/webhook-check.mjs takes what was sent, and nothing else", async (t) => {
  const file = path.join(projectRoot, "docs", "recipes", "webhook-check.mjs");
  const { isGenuine } = (await import(pathToFileURL(file).href)) as { isGenuine: IsGenuine };
  const there = await receive(t, 200);
  const now = 1_000_000_000_000;
  for (const secret of ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "plain words"]) {
    const ports = testPorts({ env: { HOOK_SECRET: secret } });
    await sendWebhook(target({ webhookUrl: there.origin, secretEnv: "HOOK_SECRET" }), body, ports);
    const { headers, body: sent } = there.received.at(-1) ?? assert.fail("nothing was sent");
    const signature = String(headers["webhook-signature"]);
    const forged = Buffer.alloc(32).toString("base64");
    const withHeader = (name: string, value: string) => isGenuine({ ...headers, [name]: value }, sent, secret, now);
    assert.deepEqual(
      {
        genuine: isGenuine(headers, sent, secret, now),
        ofTwoKeys: withHeader("webhook-signature", `v1,${forged} ${signature}`),
        otherBody: isGenuine(headers, `${sent} `, secret, now),
        otherSecret: isGenuine(headers, sent, `${secret}BBBB`, now),
        otherId: withHeader("webhook-id", "msg_2"),
        otherTime: withHeader("webhook-timestamp", "1000000001"),
        otherScheme: withHeader("webhook-signature", signature.replace("v1,", "v1a,")),
        forged: withHeader("webhook-signature", `v1,${forged}`),
        unsigned: isGenuine({}, sent, secret, now),
        old: isGenuine(headers, sent, secret, now + 301_000),
        now: isGenuine(headers, sent, secret),
      },
      {
        genuine: true,
        ofTwoKeys: true,
        otherBody: false,
        otherSecret: false,
        otherId: false,
        otherTime: false,
        otherScheme: false,
        forged: false,
        unsigned: false,
        old: false,
        now: false,
      },
    );
  }
});

test("docs/notify.md names every event, every key of the body and every exit code", () => {
  const shown = JSON.parse(fenced("json")) as Record<string, unknown>;
  assert.deepEqual(Object.keys(shown), Object.keys(body));
  assert.deepEqual(
    [...webhookEvents, ...Object.keys(body)].filter((word) => !docs.includes(`\`${word}\``)),
    [],
  );
  const rows = [...docs.matchAll(/^\| (\d.*?) \| (the URL|the URL with `\/fail` .*|nothing) \|$/gm)];
  const outcomes = rows.map(([, codes = "", called = ""]) => [
    (Object.keys(exitCodes) as ExitName[]).filter((name) => listedCodes(codes).includes(exitCodes[name])),
    called.includes("/fail") ? "fail" : called === "nothing" ? "none" : "success",
  ]);
  assert.equal(outcomes.flatMap(([names]) => names).length, Object.keys(exitCodes).length);
  for (const [names, outcome] of outcomes) {
    for (const name of names as ExitName[]) assert.equal(pingOutcome(name), outcome, name);
  }
});

/** `0, 2, 20 to 22, 65 data` as numbers. */
function listedCodes(text: string): number[] {
  return text.split(", ").flatMap((part) => {
    const [first = 0, last = first] = [...part.matchAll(/\d+/g)].map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}

function fenced(language: string): string {
  return new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\`$`, "m").exec(docs)?.[1] ?? assert.fail(language);
}
