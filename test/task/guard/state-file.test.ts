import assert from "node:assert/strict";
import fs, { appendFileSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { putAside, putBackState } from "../../../lib/task/guard/state-file.ts";
import type { TaskSession } from "../../../lib/task/session.ts";
import { refusing } from "../../store/refused-calls.ts";
import { guardTask } from "./arrange.ts";

const [accepted, proposed] = ["accepted\n", "proposed\n"];

function arrange(t: TestContext, there: string | null) {
  const task = guardTask(t);
  const guard = task.begin();
  const session = { history: { state: accepted }, findings: [] } as unknown as TaskSession;
  if (there === null) task.remove("tasks/T-1/STATE.md");
  else task.put("tasks/T-1/STATE.md", there);
  const { staging } = guard.anchor;
  const kept = join(staging, "kept/STATE.md");
  return {
    ...{ task, guard, session },
    /** STATE.md, what is staged, what is kept, and the files that are named. */
    found: () => ({
      state: task.read("tasks/T-1/STATE.md"),
      staged: existsSync(staging) ? readdirSync(staging).filter((name) => name !== "kept") : [],
      kept: existsSync(kept) ? readFileSync(kept, "utf8") : null,
      named: session.findings.map(({ code, file }) => `${code} ${file?.slice(task.place.taskDir.length + 1)}`),
    }),
  };
}

const named = "TP_STATE_KEPT artifacts/passes/";

test("a proposal is staged, and STATE.md is the accepted one while the checks run", (t) => {
  const { guard, session, found } = arrange(t, proposed);
  putAside(guard, session, Buffer.from(proposed));
  const { staged, ...rest } = found();
  assert.deepEqual(rest, { state: accepted, kept: null, named: [] });
  assert.ok(staged.length > 0);
});

test("a proposal that is the accepted one changes nothing, nor does a STATE.md that is gone for a moment", (t) => {
  const same = arrange(t, accepted);
  putAside(same.guard, same.session, Buffer.from(accepted));
  assert.deepEqual([same.found().state, same.found().named], [accepted, []]);
  const gone = arrange(t, null);
  putAside(gone.guard, gone.session, null);
  assert.deepEqual([gone.found().state, gone.found().staged, gone.found().named], [accepted, [], []]);
});

test("what a person wrote since is kept and named, and the accepted one put back", (t) => {
  const { guard, session, found } = arrange(t, `${proposed}a person's\n`);
  putAside(guard, session, Buffer.from(proposed));
  assert.equal(found().kept, `${proposed}a person's\n`);
  assert.equal(found().named[0]?.startsWith(named), true);
  for (const theirs of [`${accepted}a person's\n`, "rejected\n"]) {
    const late = arrange(t, theirs);
    putBackState(late.guard, late.session);
    const { staged, ...rest } = late.found();
    assert.deepEqual([rest.state, rest.kept, rest.named.length, staged], [accepted, theirs, 1, []]);
    // It is not written a second time.
    refusing("renameSync", "ENOSPC", /./, () => putBackState(late.guard, late.session));
    assert.equal(late.found().named.length, 1);
  }
});

test("what a person writes in the moment of the replacement is kept, too", (t) => {
  const { task, guard, session, found } = arrange(t, proposed);
  const rename = fs.renameSync;
  t.after(() => {
    fs.renameSync = rename;
    syncBuiltinESMExports();
  });
  fs.renameSync = (from, to) => {
    if (String(to) === task.place.state) appendFileSync(to, "a person's\n");
    rename(from, to);
  };
  syncBuiltinESMExports();
  putAside(guard, session, Buffer.from(proposed));
  assert.deepEqual([found().state, found().kept], [accepted, `${proposed}a person's\n`]);
});
