import { errorCode } from "../store/error-code.ts";
import { formatDuration } from "../text/duration.ts";

export type TryEnd =
  | { readonly kind: "taken" }
  /** `problem` is the middle of a sentence that begins with the host. */
  | { readonly kind: "final"; readonly problem: string }
  /** It may go better soon; the header Retry-After says when, null if there is none. */
  | { readonly kind: "again"; readonly problem: string; readonly retryAfter: string | null };

const mostRedirects = 3;
/** Request timeout, too early, too many requests: the client errors that say that the same request may pass later. */
const passing = new Set([408, 425, 429]);

/** One try, redirects included, within `tryMs`. Given up at once, as `again`, if the signal is aborted. */
export async function tryOnce(call: Call, tryMs: number, signal: AbortSignal): Promise<TryEnd> {
  // Not AbortSignal.any with AbortSignal.timeout: in Node 20 that can be collected as garbage before it fires.
  const controller = new AbortController();
  const give = () => controller.abort();
  const timer = setTimeout(give, tryMs);
  signal.addEventListener("abort", give, { once: true });
  try {
    return await follow(call, controller.signal);
  } catch (error) {
    const late = `gave no answer within ${formatDuration(tryMs)}`;
    return { kind: "again", problem: controller.signal.aborted ? late : renderProblem(error), retryAfter: null };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", give);
  }
}

async function follow(call: Call, signal: AbortSignal): Promise<TryEnd> {
  let { url } = call;
  for (let redirects = 0; ; redirects += 1) {
    const answer = await exchange({ ...call, url }, signal);
    const { status, retryAfter } = answer;
    if (status >= 200 && status < 300) return { kind: "taken" };
    const redirect = judgeRedirect({ url, method: call.method }, answer);
    if (redirect === null) {
      const problem = `answered ${status}`;
      return status >= 500 || passing.has(status) ? { kind: "again", problem, retryAfter } : { kind: "final", problem };
    }
    if (redirect.kind === "refused") return { kind: "final", problem: redirect.problem };
    if (redirects === mostRedirects) return { kind: "final", problem: `redirects more than ${mostRedirects} times` };
    url = redirect.url;
  }
}

const words: Readonly<Record<string, string>> = {
  ENOTFOUND: "is an unknown host name",
  EAI_AGAIN: "is a host name that could not be resolved",
  ECONNREFUSED: "refused the connection",
  ECONNRESET: "closed the connection",
  EPIPE: "closed the connection",
};

function renderProblem(error: unknown): string {
  const code = errorCode(error);
  return `${words[code] ?? "could not be reached"} (${code})`;
}

const followed = new Set([301, 302, 303, 307, 308]);
const keepsMethod = new Set([307, 308]);

/** Null if the answer asks for no redirect. */
type Redirect =
  | { readonly kind: "to"; readonly url: URL }
  /** The middle of a sentence that begins with the host. */
  | { readonly kind: "refused"; readonly problem: string };

/**
 * Where a redirect leads that may be followed: the same host and port, by the same scheme or from http to https. What
 * is sent was meant for one host, and the address of another could be one inside a network. A POST continues only if
 * the status keeps it a POST.
 */
export function judgeRedirect({ url, method }: Pick<Call, "url" | "method">, answer: Answer): Redirect | null {
  if (!followed.has(answer.status)) return null;
  if (answer.location === null || !URL.canParse(answer.location, url.href)) {
    return refuse(`answered ${answer.status} without a redirect target`);
  }
  const next = new URL(answer.location, url);
  const sameHost = next.hostname === url.hostname && next.port === url.port;
  const noWeaker = next.protocol === url.protocol || (url.protocol === "http:" && next.protocol === "https:");
  if (!sameHost || !noWeaker) return refuse("redirects to another host, port or scheme, which is not followed");
  if (next.username !== "" || next.password !== "") return refuse("redirects to a URL with a password");
  if (method === "POST" && !keepsMethod.has(answer.status)) {
    return refuse(`redirects with ${answer.status}, which would turn the POST into a GET`);
  }
  return { kind: "to", url: next };
}

function refuse(problem: string): Redirect {
  return { kind: "refused", problem };
}

export interface Call {
  readonly url: URL;
  readonly method: "GET" | "POST";
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** The parts of an answer that are read. Its body is hostile text that is not needed, so it is not read. */
interface Answer {
  readonly status: number;
  readonly location: string | null;
  readonly retryAfter: string | null;
}

/** How much of a body is taken in, so that a well-meaning server can end in order, before the connection is cut. */
const longestBody = 64 * 1024;

/**
 * Sends one request on a connection of its own and gives the answer; redirects are not followed. Throws if there is
 * no answer, or if the signal is aborted before there is one. Node's own modules are loaded here, as most calls
 * send nothing; `fetch` takes four times as long to load.
 */
async function exchange(call: Call, signal: AbortSignal): Promise<Answer> {
  const { request } = call.url.protocol === "https:" ? await import("node:https") : await import("node:http");
  const length = call.body === null ? {} : { "content-length": String(Buffer.byteLength(call.body)) };
  return new Promise((resolve, reject) => {
    const options = { method: call.method, headers: { ...call.headers, ...length }, agent: false, signal };
    const outgoing = request(call.url, options, (incoming) => {
      const { location, "retry-after": retryAfter } = incoming.headers;
      const status = incoming.statusCode ?? 0;
      // The answer is known as soon as its head is: how its body ends, in order or cut, changes nothing.
      const settle = () => resolve({ status, location: location ?? null, retryAfter: retryAfter ?? null });
      let taken = 0;
      incoming.on("data", (piece: Buffer) => {
        taken += piece.length;
        if (taken > longestBody) incoming.destroy();
      });
      incoming.on("error", settle);
      incoming.once("close", settle);
      outgoing.prependListener("error", settle);
    });
    outgoing.on("error", reject);
    outgoing.end(call.body ?? undefined);
  });
}
