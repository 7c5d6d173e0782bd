import * as v from "valibot";
import type { HostKind } from "../machine/verdict-event.ts";
import { hostKinds } from "../machine/words.ts";
import { expectsWord, strictMap } from "../task-folder/schema-findings.ts";
import { isObject } from "../text/json-object.ts";
import { cleanWebAddress } from "../text/web-address.ts";

/** Where the evidence can be opened in a browser. */
export interface EvidenceConfig {
  /** The address under which the tasks root is served, without a slash at its end; null: nowhere. */
  readonly baseUrl: string | null;
  /** How the git host writes addresses; null: as far as its name or the CI system tells. */
  readonly hostKind: HostKind | null;
  /** The part before OWNER/REPO in the addresses of the git host's pages; null: as the remote's URL says. */
  readonly webBase: string | null;
  /** The Evidence link of STATE.md: a full address where the host is known, or always a relative one. */
  readonly links: EvidenceLinks;
}

/** `full` says aloud what `auto` does anyway. */
const linkForms = ["auto", "full", "relative"] as const;
export type EvidenceLinks = (typeof linkForms)[number];

const longestUrl = 2_048;

/** No message shows what was found: a password may be there, which is why it is refused. */
function addressSchema(example: string) {
  const write = `write a URL such as ${example}`;
  return v.pipe(
    v.custom<string>((value) => typeof value === "string", `must be a URL in quotes\n${write}`),
    v.rawCheck(({ dataset, addIssue }) => {
      const problem = dataset.typed ? problemOf(dataset.value) : null;
      if (problem !== null) addIssue({ message: `${problem}\n${write}` });
    }),
    v.transform((text) => cleanWebAddress(text) ?? ""),
  );
}

function problemOf(text: string): string | null {
  if (text.length > longestUrl) return `must have at most ${longestUrl} characters`;
  if (!/^https?:\/\//i.test(text)) return "must begin with https:// or http://";
  if (/^[^/]*\/\/[^/?#]*@/.test(text)) return "must not contain a user name or a password";
  if (/[?#]/.test(text)) return "must not contain a query or a fragment: paths are appended to it";
  return cleanWebAddress(text) === null
    ? "must be a host and a plain path, without spaces, backslashes or dot segments"
    : null;
}

/** `evidence` of task-phase.yaml. */
export const evidenceSchema = v.pipe(
  v.custom<Record<string, unknown>>(
    isObject,
    "must be a map with base_url, host_kind, web_base and links\nwrite evidence: { base_url: https://evidence.example.org/tasks }",
  ),
  strictMap({
    base_url: v.nullish(addressSchema("https://evidence.example.org/tasks")),
    host_kind: v.nullish(
      v.picklist(
        hostKinds,
        expectsWord(hostKinds, "github, gitlab, gitea or bitbucket", "write host_kind: gitea, also for Forgejo"),
      ),
    ),
    web_base: v.nullish(addressSchema("https://git.example.org")),
    links: v.nullish(v.picklist(linkForms, expectsWord(linkForms, "auto, full or relative", "write links: relative"))),
  }),
);

/** Null or missing: the host is taken from the remote, and no page is served. */
export function toEvidenceConfig(written: v.InferOutput<typeof evidenceSchema> | null | undefined): EvidenceConfig {
  return {
    baseUrl: written?.base_url ?? null,
    hostKind: written?.host_kind ?? null,
    webBase: written?.web_base ?? null,
    links: written?.links ?? "auto",
  };
}
