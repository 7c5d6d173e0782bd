import assert from "node:assert/strict";
import { test } from "node:test";
import { readPushAnswer } from "../../lib/git/swap-ref.ts";

const answer = (status: string, said = "") => {
  const stdout = `To remote\n!\tabc:refs/heads/task-phase/T-1\t${status}\nDone\n`;
  return readPushAnswer({ exitCode: 1, stdout, said });
};

const wordings: Readonly<Record<"behind" | "refused" | "unknown", readonly string[]>> = {
  behind: [
    "[rejected] (stale info)",
    "[rejected] (fetch first)",
    "[rejected] (non-fast-forward)",
    "[rejected] (already exists)",
    "[rejected] (needs force)",
    "[remote rejected] (failed to update ref)",
    "[remote rejected] (incorrect old value provided)",
    "[remote rejected] (reference already exists)",
    "[remote rejected] (cannot lock ref 'refs/heads/task-phase/T-1': is at 1111111 but expected 2222222)",
    "[remote rejected] (Unable to lock ref refs/heads/task-phase/T-1)",
    "[remote rejected] (atomic push failed)",
  ],
  refused: [
    "[remote rejected] (pre-receive hook declined)",
    "[remote rejected] (hook declined)",
    "[remote rejected] (protected branch hook declined)",
    "[remote rejected] (push declined due to repository rule violations)",
    "[remote rejected] (permission denied)",
    "[remote rejected] (deny updating a hidden ref)",
    "[remote rejected] (prohibited by Gerrit: not permitted: create)",
    "[remote rejected] (refusing to create funny ref 'refs/x' remotely)",
  ],
  unknown: [
    "[remote rejected] (Internal Server Error)",
    "[remote rejected] (fatal error in commit_refs)",
    "[remote rejected] (unpacker error)",
    "[remote failure] (remote failed to report status)",
    "[remote rejected] (Service unavailable, try again)",
  ],
};

for (const [kind, statuses] of Object.entries(wordings)) {
  for (const status of statuses) {
    test(`${kind}: ${status}`, () => assert.equal(answer(status).kind, kind));
  }
}

test("a push that ended well is pushed, and one without a report is not known", () => {
  assert.deepEqual(readPushAnswer({ exitCode: 0, stdout: "", said: "" }), { kind: "pushed" });
  const cut = { exitCode: 128, stdout: "To remote\n", said: "fatal: the remote end hung up unexpectedly" };
  assert.deepEqual(readPushAnswer(cut), { kind: "unknown", why: "fatal: the remote end hung up unexpectedly" });
  assert.equal(readPushAnswer({ exitCode: null, stdout: "", said: "it did not end within 60 s" }).kind, "unknown");
});

test("the message of a remote's hook follows the refusal, without a password", () => {
  const said = "remote: GH013: rule violations\nremote: see https://me:secret@host/x\nerror: failed to push";
  const refused = answer("[remote rejected] (push declined due to repository rule violations)", said);
  assert.equal(
    refused.kind === "refused" ? refused.why : "",
    "[remote rejected] (push declined due to repository rule violations) (GH013: rule violations; see https://host/x)",
  );
});
