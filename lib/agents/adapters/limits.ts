import type { CliError } from "./adapter.ts";

export { readWait } from "../times/reset-time.ts";

/**
 * What a final error means for the next call. `overloaded`: the provider cannot do it now, or is unreachable.
 * `refused`: it rejects this call, such as an unknown model. `context` and `other` concern the task, not the model.
 */
export type ErrorMeaning = "rate_limit" | "quota" | "overloaded" | "auth" | "refused" | "context" | "other";

const byStatus: ReadonlyMap<number, ErrorMeaning> = new Map([
  [401, "auth"],
  [402, "quota"],
  [403, "auth"],
  [429, "rate_limit"],
]);

/** Error types that CLIs and providers give as a field. */
const byType: ReadonlyMap<string, ErrorMeaning> = new Map([
  ["authentication_error", "auth"],
  ["authentication_failed", "auth"],
  ["fatalauthenticationerror", "auth"],
  ["invalid_api_key", "auth"],
  ["permission_error", "auth"],
  ["providerautherror", "auth"],
  ["billing_error", "quota"],
  ["insufficient_quota", "quota"],
  ["usage_limit_reached", "quota"],
  ["rate_limit", "rate_limit"],
  ["rate_limit_error", "rate_limit"],
  ["rate_limit_exceeded", "rate_limit"],
  ["resource_exhausted", "rate_limit"],
  ["too_many_requests", "rate_limit"],
  ["api_error", "overloaded"],
  ["connection_failed", "overloaded"],
  ["overloaded", "overloaded"],
  ["overloaded_error", "overloaded"],
  ["server_error", "overloaded"],
  ["server_is_overloaded", "overloaded"],
  ["unavailable", "overloaded"],
  ["context_length_exceeded", "context"],
  // A person's bound, not the provider's: "Reached maximum budget ($429)".
  ["error_max_budget_usd", "other"],
  ["error_max_structured_output_retries", "other"],
  ["error_max_turns", "other"],
]);

/** In this order, since a message may contain a later word too. CLIs with an adapter here printed each. */
const byWords: readonly (readonly [ErrorMeaning, RegExp])[] = [
  [
    "context",
    /prompt is too long|context.?(?:length|window)|ran out of room|maximum context|input token count .{0,40} exceeds/i,
  ],
  [
    "auth",
    /invalid (?:x-)?api.?key|incorrect api key|api key (?:not valid|(?:has )?expired)|not logged in|no api key found|set an auth method|no auth type is selected|no authentication information found|authentication_error|unauthorized|^missing environment variable:/i,
  ],
  // An expired login of a subscription, as claude and codex word it.
  [
    "auth",
    /could not be refreshed|\b(?:sign|log) in again|please (?:run \/login|log ?in|sign in)|login (?:has )?expired|\b(?:oauth|access|refresh) (?:access )?(?:token|session)\b.{0,60}\b(?:expired|revoked|already used)/i,
  ],
  [
    "quota",
    /credit balance is too low|insufficient_quota|exceeded your current quota(?![\s\S]*retry (?:in|after))|quota exceeded\. check your plan|exhausted your (?:daily |hourly )?quota|usage credits|monthly spend limit|\bout of (?:extra )?usage\b/i,
  ],
  [
    "rate_limit",
    /rate.?limit|too many requests|RESOURCE_EXHAUSTED|retry in \d|(?:hit|reached) your (?:[\w-]+ )*limit|usage limit|\b(?:\d+-hour|hourly|daily|weekly|monthly|session|opus|sonnet) limit (?:has been )?reached|exhausted your capacity|quota exceeded for (?:quota )?metric|server requested .{1,20} retry delay/i,
  ],
  [
    "overloaded",
    /overloaded|at capacity|experiencing high demand|\bUNAVAILABLE\b|internal server error|service unavailable|bad gateway/i,
  ],
  [
    "overloaded",
    /connection (?:error|refused|reset|closed|timed out)|unable to connect|fetch failed|socket hang up|stream disconnected|other side closed|unexpected EOF|\bE(?:CONNREFUSED|CONNRESET|TIMEDOUT|NOTFOUND|AI_AGAIN|HOSTUNREACH|NETUNREACH)\b|request timed out|^(?:\[API Error: )?terminated\]?$/i,
  ],
];

/** Meanings that a bad request's message may have; all others are not worth repeating. */
const ofBadRequest: ReadonlySet<ErrorMeaning> = new Set(["context", "auth", "quota"]);

/** By the fields type and status, then `limitPatterns` of the configuration, then the usual words. */
export function readMeaning(error: CliError, limitPatterns: readonly RegExp[]): ErrorMeaning {
  // Longer messages contain stack traces or pages.
  const words = error.message.slice(0, 4_000);
  const status = error.status ?? statusIn(words);
  const inWords = byWords.find(([, pattern]) => pattern.test(words))?.[0];
  const structured = byType.get(error.type?.toLowerCase() ?? "") ?? ofStatus(status);
  // 429 also means empty accounts, and 403 both.
  if (structured === "rate_limit" && inWords === "quota") return "quota";
  if (structured === "auth" && status === 403 && (inWords === "quota" || inWords === "rate_limit")) return inWords;
  if (structured !== undefined) return structured;
  // Not test(), which would remember its place in a pattern with `g`.
  if (limitPatterns.some((pattern) => words.search(pattern) >= 0)) return "rate_limit";
  const badRequest = status !== null && status >= 400 && status < 500;
  // The error may quote the request: a limit's word in there belongs to the task.
  if (badRequest && (inWords === undefined || !ofBadRequest.has(inWords))) return "refused";
  return inWords ?? "other";
}

/** The model cannot be called now, and may be later. */
export function isLimit(meaning: ErrorMeaning): boolean {
  return meaning === "rate_limit" || meaning === "quota" || meaning === "overloaded";
}

function ofStatus(status: number | null): ErrorMeaning | undefined {
  if (status !== null && status >= 500 && status < 600) return "overloaded";
  return byStatus.get(status ?? 0);
}

/** An HTTP status in words only, such as `503 …` or `last status: 429`; no other number. */
function statusIn(words: string): number | null {
  const found =
    /^\W{0,3}([45]\d\d)\b/.exec(words)?.[1] ??
    /\b(?:status|status code|http|error|code|rejected|repeated)\b[\s:=#"'(]{1,4}([45]\d\d)\b/i.exec(words)?.[1];
  return found === undefined ? null : Number(found);
}
