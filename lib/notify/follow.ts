import type { Answer, Call } from "./exchange.ts";

const followed = new Set([301, 302, 303, 307, 308]);
const keepsMethod = new Set([307, 308]);

/** Null if the answer asks for no redirect. */
export type Redirect =
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
