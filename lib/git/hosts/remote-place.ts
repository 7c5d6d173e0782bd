import { orElse } from "../../text/attempt.ts";
import { cleanWebAddress, encodePath } from "../../text/web-address.ts";

/** Where a remote's repository can be seen in a browser, as far as its URL tells. */
export interface RemotePlace {
  /** `https://HOST/PATH`; `http:` and a port only if the remote itself is read over http. */
  readonly web: string;
  /** In lower case and without a port. */
  readonly host: string;
  /** Percent-encoded, as at the end of `web`. */
  readonly path: string;
}

const longestUrl = 2_048;

/** Names under which hosts take ssh if only the port of https is open, or apart from their pages. */
const pageHosts: Readonly<Record<string, string>> = {
  "ssh.github.com": "github.com",
  "www.github.com": "github.com",
  "altssh.gitlab.com": "gitlab.com",
  "altssh.bitbucket.org": "bitbucket.org",
  "ssh.gitlab.gnome.org": "gitlab.gnome.org",
  "ssh.gitlab.freedesktop.org": "gitlab.freedesktop.org",
};

/**
 * Reads the URL of a remote in each form that git takes: https, http, ssh and git, and `user@host:path`. User and
 * password are dropped, and so are the port of ssh, one `.git`, slashes at the end, query and fragment. Null for what
 * is not an address of a host, such as a path, a helper or an option, and for whatever could be read in two ways.
 */
export function readRemote(url: string): RemotePlace | null {
  if (url.length > longestUrl || /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\\]|^\s|\s$/u.test(url)) return null;
  const parts = readUrl(url) ?? readShortForm(url);
  if (parts === null) return null;
  const base = cleanWebAddress(`${parts.scheme}://${parts.host}`);
  const segments = cleanSegments(parts.segments);
  if (base === null || segments === null) return null;
  const known = new URL(base);
  const name = known.hostname.replace(/\.$/, "");
  const host = Object.hasOwn(pageHosts, name) ? (pageHosts[name] ?? name) : name;
  const path = encodePath(segments.join("/"));
  const port = known.port === "" ? "" : `:${known.port}`;
  return path === null ? null : { web: `${known.protocol}//${host}${port}/${path}`, host, path };
}

interface RemoteParts {
  readonly scheme: "https" | "http";
  /** With the port that the pages have too. */
  readonly host: string;
  /** Decoded. */
  readonly segments: readonly string[];
}

/** `https://…`, `http://…`, `ssh://…`, `git://…`; null for every other form. */
function readUrl(url: string): RemoteParts | null {
  const [, written = "", authority = "", rest = "", more = ""] =
    /^([a-z+]+):\/\/([^/?#]*)([^?#]*)(.*)$/i.exec(url) ?? [];
  const scheme = written.toLowerCase();
  if (!["https", "http", "ssh", "git", "git+ssh", "ssh+git"].includes(scheme)) return null;
  const [, host = "", port = ""] = /^(\[[0-9a-f:.]+\]|[^:[\]]+)(:\d*)?$/i.exec(afterUser(authority)) ?? [];
  const segments = more.includes("@") ? null : decode(rest);
  if (!isHostName(host) || segments === null) return null;
  if (scheme === "https" || scheme === "http") {
    return { scheme, host: port === ":" ? host : `${host}${port}`, segments };
  }
  return { scheme: "https", host, segments };
}

/**
 * `user@host:path`, which git takes if no slash is before the colon. Without a user, a name without a dot is an
 * abbreviation from someone's settings, a drive of Windows, or `javascript:`.
 */
function readShortForm(url: string): RemoteParts | null {
  if (/^[^/]*:\/\/|^[^/]*::/.test(url.replace(/\[[^\]]*\]/, "")) || url.startsWith("-")) return null;
  const [, user = "", name = "", path = ""] = /^([^/:[\]]*@)?(\[[^\]/]*\]|[^/:@[\]]+):(.+)$/.exec(url) ?? [];
  const inner = bracketed(name);
  const host = inner?.host ?? name;
  const hasUser = user !== "" || inner?.hasUser === true;
  if (!isHostName(host) || (!hasUser && !/[.:]/.test(host))) return null;
  return { scheme: "https", host, segments: path.split("/") };
}

/** `[user@host:port]`, which git takes as well as `[::1]`; null without brackets. */
function bracketed(name: string): { readonly host: string; readonly hasUser: boolean } | null {
  const [, inner] = /^\[(.*)\]$/.exec(name) ?? [];
  if (inner === undefined) return null;
  const address = afterUser(inner);
  const isIpv6 = address.split(":").length > 2;
  return { host: isIpv6 ? `[${address}]` : address.replace(/:\d+$/, ""), hasUser: inner.includes("@") };
}

/** A password can hold the mark that ends it: the last one counts. */
function afterUser(authority: string): string {
  return authority.slice(authority.lastIndexOf("@") + 1);
}

/** What `ssh` could take for an option is not a host. */
function isHostName(host: string): boolean {
  return /^[\p{L}\p{N}[][^\s@%]*$/u.test(host);
}

function decode(path: string): string[] | null {
  return orElse(() => path.split("/").map((segment) => decodeURIComponent(segment)), null);
}

/**
 * Without empty ones at both ends and one `.git`. Null if nothing is left, if one is a dot segment or hides a
 * separator, and if an `@` shows that a slash in a password was taken for the end of the host.
 */
function cleanSegments(written: readonly string[]): string[] | null {
  const segments = written
    .join("/")
    .replace(/^\/+|\/+$/g, "")
    .split("/");
  const last = (segments.at(-1) ?? "").replace(/\.git$/, "");
  const clean = [...segments.slice(0, -1), last];
  const bad = written.some((segment) => /[/\\@\p{Cc}\p{Cf}]/u.test(segment)) || clean.some((segment) => segment === "");
  return bad ? null : clean;
}
