import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { readProposal } from "../../lib/pass/read-proposal.ts";
import { placeOf } from "../../lib/task/records/task-place.ts";

describe("the STATE.md that an agent left", () => {
  it("is named with a line if there is one, and alone if the whole file is wrong", (t) => {
    const folder = mkdtempSync(join(tmpdir(), "task-phase-"));
    t.after(() => rmSync(folder, { recursive: true }));
    const place = placeOf(folder);
    const problemsOf = (text: string): unknown => {
      writeFileSync(place.state, text);
      const session = { place, ports: { redactor: { findSecrets: () => [] } } };
      const { proposal } = readProposal(session as never, { agentRows: [], features: [] });
      return proposal.kind === "unreadable" ? proposal.problems : proposal.kind;
    };
    assert.deepEqual(
      [problemsOf("x\n".repeat(40 * 1024)), problemsOf("a\0b\n")],
      [
        [
          "STATE.md: the file has 80 KiB; the limit is 64 KiB (move the long parts to files under artifacts/ and link them)",
        ],
        ["STATE.md:1:2: a NUL character is used here, which programs read in different ways (remove the character)"],
      ],
    );
  });
});
