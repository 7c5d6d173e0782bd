import assert from "node:assert/strict";
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { TaskPhaseError } from "../../lib/report/errors.ts";
import { editFile } from "../../lib/store/edit-file.ts";
import { withFolder } from "./temporary-folder.ts";

describe("editFile", () => {
  for (const [title, text] of [
    ["makes a file that is missing", null],
    ["changes one that is there", "theirs"],
    ["changes it again if somebody changed it meanwhile", "theirs"],
  ] as const) {
    it(title, () =>
      withFolder((folder) => {
        const path = join(folder, "file");
        if (text !== null) writeFileSync(path, text);
        const made: string[] = [];
        const change = (before: Buffer | null) => {
          made.push(`${before}`);
          if (title.includes("again") && made.length < 3) appendFileSync(path, "+");
          return `${before}, ours`;
        };
        editFile(path, () => (text === null ? null : readFileSync(path)), change);
        const last = title.includes("again") ? "theirs++" : `${text}`;
        assert.deepEqual([readFileSync(path, "utf8"), readdirSync(folder)], [`${last}, ours`, ["file"]]);
        assert.equal(made.at(-1), last);
      }),
    );
  }

  it("gives up on a file that changes at every try, and leaves it as it is", () =>
    withFolder((folder) => {
      const path = join(folder, "file");
      writeFileSync(path, "");
      let tries = 0;
      const change = () => {
        tries += 1;
        appendFileSync(path, "+");
        return "ours";
      };
      assert.throws(
        () => editFile(path, () => readFileSync(path), change),
        (error) => error instanceof TaskPhaseError && /it changes while it is being written/.test(error.message),
      );
      assert.deepEqual([readFileSync(path, "utf8"), readdirSync(folder)], ["+".repeat(tries), ["file"]]);
    }));
});
