/** The possible events. The rules for when they are sent are in `lib/news/notify-verdict.ts`. */
export const webhookEvents = [
  "task.done",
  "task.blocked",
  "task.needs_user_decision",
  "task.paused",
  "task.refused",
  "loop.stopped",
] as const;
export type WebhookEvent = (typeof webhookEvents)[number];

/** An open question; what is not written is empty. */
export interface AskedQuestion {
  readonly id: string;
  readonly title: string;
  readonly question: string;
  readonly options: string;
  readonly safe_default: string;
  /** As written; ISO 8601 if it comes from the runner. */
  readonly deadline: string;
  /** For example `DECISIONS.md:12`. */
  readonly place: string;
  /** The page of the git host that edits the file; null if there is none, or it has another text of it. */
  readonly edit_url: string | null;
}

/** The JSON body of a webhook, redacted already; null if a thing is not known or does not apply. */
export interface WebhookBody {
  readonly version: 1;
  /** The same for every try of one message; without a full stop, since the signature is over `id.timestamp.body`. */
  readonly id: string;
  readonly event: WebhookEvent;
  /** When it happened, ISO 8601 in UTC. */
  readonly at: string;
  readonly task: { readonly id: string; readonly title: string | null } | null;
  readonly from: string | null;
  readonly to: string | null;
  readonly verdict: string | null;
  readonly reason: string;
  readonly pass: number | null;
  readonly exit_code: number;
  readonly exit_name: string;
  readonly model: string | null;
  readonly cost_usd: number | null;
  /** Ids of the questions that were open in DECISIONS.md after the pass or the stop. */
  readonly questions: readonly string[];
  /** Those questions as they are written; what is not written is empty. */
  readonly asked: readonly AskedQuestion[];
  /** The evidence page, relative to the task folder. */
  readonly evidence: string | null;
  /** Where the evidence opens in a browser, on the git host or where it is served. */
  readonly evidence_url: string | null;
  /** False: that address shows it only once it is pushed. */
  readonly evidence_pushed: boolean | null;
}
