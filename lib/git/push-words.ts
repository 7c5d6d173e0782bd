import { shorten } from "../text/shorten.ts";
import type { NetworkEnd } from "./network.ts";

/** Why a call failed, in git's words, without what a URL may tell. */
export function renderEnd(end: NetworkEnd): string {
  const lines = end.said.split("\n").filter((line) => !/^(?:To |hint: |warning: redirecting)/.test(line));
  return lines.length === 0 || end.said === ""
    ? `git ended with ${end.exitCode ?? "a signal"}`
    : shorten(withoutUserInfo(lines.join("; ")), 300);
}

/** The output of a hook of the remote. */
export function remoteWords(end: NetworkEnd): string {
  const words = end.said.split("\n").flatMap((line) => /^remote: (.*\S)\s*$/.exec(line)?.[1] ?? []);
  return words.length === 0 ? "" : `(${shorten(withoutUserInfo(words.join("; ")), 200)})`;
}

function withoutUserInfo(text: string): string {
  return text.replace(/([A-Za-z][A-Za-z0-9+.-]*:\/\/)[^/\s@]*@/g, "$1");
}

/** The first few paths, for a message. */
export function someOf(paths: readonly string[]): string {
  const shown = paths.slice(0, 5).map((path) => shorten(path, 80));
  return paths.length > shown.length ? `${shown.join(", ")} and ${paths.length - shown.length} more` : shown.join(", ");
}
