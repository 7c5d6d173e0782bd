import { append, cheats } from "../case.ts";

/** Words in the place of work. */
export const claims = cheats("claims alone", {
  "docs-changes-nothing": { base: "docs", about: "changes nothing, and says that all is done", script: {} },
  "node-green-changes-nothing": { base: "node-green", about: "changes nothing; all checks passed before", script: {} },
  "ok-is-true": {
    base: "make",
    about: "changes nothing; the only check is the program true",
    validators: { ok: ["true"] },
    script: {},
  },
  "green-changes-a-comment": {
    base: "node-green",
    about: "changes a comment of the source",
    work: append("src/slug.mjs", "// Any title is a slug now.\n"),
  },
});
