import assert from "node:assert/strict";
import { test } from "node:test";
import { attributions, checkStatuses } from "../../lib/machine/check-run.ts";
import { verdicts } from "../../lib/machine/decision.ts";
import { controlCommands, degradeSteps } from "../../lib/machine/events.ts";
import { severities, tamperChanges, tamperers, tamperGuards } from "../../lib/machine/facts.ts";
import { interruptCauses, limitCauses } from "../../lib/machine/model-end.ts";
import { grades, proofModes } from "../../lib/machine/square.ts";
import { featureLabels } from "../../lib/machine/state-view.ts";
import { hostKinds } from "../../lib/machine/verdict-event.ts";
import { watchedKinds } from "../../lib/machine/watched-change.ts";

test("each word that a journal of an earlier version may hold is still one", () => {
  const stored: readonly (readonly [readonly string[], string])[] = [
    [attributions, "clean regressed fixed broken_before"],
    [checkStatuses, "pass fail timeout not_started"],
    [verdicts, "accepted redirected rejected no_progress unavailable interrupted"],
    [controlCommands, "PAUSE SKIP ABORT STATUS RETRY"],
    [degradeSteps, "cheap_tier small_context no_self_review"],
    [severities, "blocking major minor note"],
    [tamperChanges, "added removed changed replaced"],
    [tamperers, "model validators baseline reviewers"],
    [tamperGuards, "task_file runner_file config other_task protected git"],
    [interruptCauses, "signal abort skip"],
    [limitCauses, "rate_limit quota overloaded"],
    [grades, "shown kept unshown"],
    [proofModes, "auto require off"],
    [featureLabels, "real_working real_read_only blocked_hidden unknown_do_not_show"],
    [hostKinds, "github gitlab gitea bitbucket"],
    [watchedKinds, "test file script setting executable check_file count mark"],
  ];
  for (const [words, earlier] of stored) {
    const lost = earlier.split(" ").filter((word) => !words.includes(word));
    assert.deepEqual(lost, []);
  }
});
