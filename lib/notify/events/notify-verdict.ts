import { basename, relative } from "node:path";
import type { NotifyConfig } from "../../documents/config/config-schema.ts";
import { packageVersion } from "../../documents/templates/package-files.ts";
import type { TaskEvent } from "../../rules/events.ts";
import type { PassPorts } from "../../task/records/ports.ts";
import type { PassReport } from "../../task/request.ts";
import { messageOf } from "../../text/errors.ts";
import { type ExitName, exitCodes } from "../../text/exit-codes.ts";
import { type Finding, warningFinding } from "../../text/finding.ts";
import { redactDeep } from "../../text/redact.ts";
import { sha256 } from "../../text/sha256.ts";
import { shorten } from "../../text/shorten.ts";
import type { Told } from "../deliver.ts";
import type { AskedQuestion, WebhookBody } from "../send-webhook.ts";
import { findNews } from "./notify-news.ts";
import type { RefusedError } from "./refused-error.ts";

/** `signal` must be that of the process, not one that a person's ABORT aborts: the webhook tells of that. */
export type TellingPorts = Pick<PassPorts, "env" | "now" | "redactor" | "signal" | "tell"> & {
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
};

/** The effect of one call of `run`, or one pass of the loop, on a task. */
export interface PassDeed {
  readonly report: PassReport;
  readonly title: string | null;
  /** The events that this call added to the task's journal, recovery included. Earlier events are no news. */
  readonly events: readonly TaskEvent[];
  readonly asked: readonly AskedQuestion[];
}

/** How a call of the loop ended that a budget of the run or of the day stopped. */
export interface LoopEnd {
  readonly exitName: ExitName;
  readonly reason: string;
  /** How many passes this call ran. */
  readonly passes: number;
  /** Their cost in US dollars; null if that is not known. */
  readonly costUsd: number | null;
  /** The loop's own id, which makes the message's id its own. */
  readonly run: string;
}

type Unsigned = Omit<WebhookBody, "id" | "version">;

/** The keys that are null in a message about no pass. */
const untold = {
  from: null,
  to: null,
  verdict: null,
  pass: null,
  model: null,
  cost_usd: null,
  questions: [],
  asked: [],
  evidence: null,
  evidence_url: null,
  evidence_pushed: null,
} as const satisfies Partial<Unsigned>;

/**
 * Tells the webhook what this call did to the task, if that is news: it is done, blocked, needs a decision, was
 * paused, or a question appeared. Returns warnings, never throws: the verdict is already valid.
 */
export async function notifyPass(
  config: NotifyConfig,
  deed: PassDeed,
  ports: TellingPorts,
): Promise<readonly Finding[]> {
  if (config.webhookUrl === null) return [];
  const news = findNews(deed.events, deed.report);
  if (news === null) return [];
  const { report } = deed;
  const { taskDir } = report.details;
  const { path, url, pushed } = report.evidence;
  const body: Unsigned = {
    event: news.event,
    at: news.at,
    task: report.task === null ? null : { id: report.task, title: deed.title },
    from: news.from,
    to: news.to,
    verdict: news.verdict,
    reason: news.reason,
    pass: news.pass,
    exit_code: report.exit_code,
    exit_name: report.exit_name,
    model: news.model,
    cost_usd: news.costUsd,
    questions: news.questions,
    asked: deed.asked.filter(({ id }) => news.questions.includes(id)).map(cutAsked),
    evidence: path === null ? null : relative(taskDir, path),
    evidence_url: url,
    evidence_pushed: pushed,
  };
  return await post(config, body, taskDir, ports);
}

/**
 * Tells the webhook that the task cannot be worked on, and why. `config` is that of the contract; a task whose contract
 * cannot be read is named by its folder. Returns warnings, never throws.
 */
export async function notifyRefusal(
  config: NotifyConfig,
  { contract, findings, at, exitName }: RefusedError,
  taskDir: string,
  ports: TellingPorts,
): Promise<readonly Finding[]> {
  if (config.webhookUrl === null) return [];
  const { id, title } = contract?.contract ?? { id: basename(taskDir), title: null };
  const body: Unsigned = {
    ...untold,
    event: "task.refused",
    at,
    task: { id, title },
    reason: findings.map(({ message, fix }) => (fix === null ? message : `${message}; ${fix}`)).join("\n"),
    exit_code: exitCodes[exitName],
    exit_name: exitName,
  };
  return await post(config, body, taskDir, ports);
}

/**
 * Tells the webhook that a budget of the run or the day stopped the loop. A call that found it spent and ran no pass
 * tells nothing: an earlier one did, and cron makes such calls all day.
 */
export async function notifyLoop(config: NotifyConfig, end: LoopEnd, ports: TellingPorts): Promise<readonly Finding[]> {
  if (config.webhookUrl === null || end.passes === 0) return [];
  const body: Unsigned = {
    ...untold,
    event: "loop.stopped",
    at: ports.now().toISOString(),
    task: null,
    reason: end.reason,
    exit_code: exitCodes[end.exitName],
    exit_name: end.exitName,
    cost_usd: end.costUsd,
  };
  return await post(config, body, end.run, ports);
}

/** Tells the monitor of a cron job how a call of `run` or `loop` ended. Returns warnings, never throws. */
export async function pingMonitor(
  config: NotifyConfig,
  exitName: ExitName,
  ports: TellingPorts,
): Promise<readonly Finding[]> {
  if (config.pingUrl === null) return [];
  return await telling("ping", async () => {
    const { pingOutcome, sendPing } = await import("../send-ping.ts");
    return await sendPing(config, pingOutcome(exitName), { ...ports, version: packageVersion() });
  });
}

const longestReason = 2_000;

/** `source` makes the ids of like messages differ: two checkouts can hold a task of the same name. */
async function post(
  config: NotifyConfig,
  body: Unsigned,
  source: string,
  ports: TellingPorts,
): Promise<readonly Finding[]> {
  return await telling("webhook", async () => {
    const clean = redactDeep(body, ports.redactor);
    const said = { ...clean, reason: cut(clean.reason, longestReason) };
    const id = `msg_${sha256(`${source}\n${JSON.stringify(said)}`).slice(0, 32)}`;
    const { sendWebhook } = await import("../send-webhook.ts");
    const told = await sendWebhook(config, { version: 1, id, ...said }, { ...ports, version: packageVersion() });
    if (told.sent) ports.tell("CHECKPOINT", `sent to the webhook at ${told.host}: ${body.event}`);
    return told;
  });
}

/** A defect here must not turn a valid verdict into a failed call; it is shown as a warning. */
async function telling(key: string, send: () => Promise<Told>): Promise<readonly Finding[]> {
  try {
    return (await send()).findings;
  } catch (error) {
    const detail = shorten(messageOf(error), 200);
    return [
      warningFinding("TP_NOTIFY_FAILED", `the ${key} was not sent: ${detail}`, {
        fix: "the verdict is valid, and STATE.md shows it; please report this as a defect",
      }),
    ];
  }
}

/** What a person wrote has no length of its own. */
function cutAsked(asked: AskedQuestion): AskedQuestion {
  const short = (text: string) => cut(text, 500);
  return { ...asked, title: short(asked.title), question: short(asked.question), options: short(asked.options) };
}

function cut(text: string, most: number): string {
  const characters = Array.from(text);
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join("")}…`;
}
