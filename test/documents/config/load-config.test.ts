import assert from "node:assert/strict";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { noLimits } from "../../../lib/documents/config/limits-schema.ts";
import { applyDefaults } from "../../../lib/documents/contract-defaults.ts";
import { inPlace, refuses } from "./arrange.ts";

/** What a file without a key says. */
const nothing = {
  models: [],
  modelSelection: "round_robin",
  sandbox: "none",
  budget: { run: noLimits, day: noLimits },
  checkpoint: "patch",
  commits: "pass",
  keep: "all",
  sign: "none",
  workspace: "here",
  control: { pollMs: 30_000 },
  notify: { webhookUrl: null, secretEnv: null, pingUrl: null },
  evidence: { baseUrl: null, hostKind: null, webBase: null, links: "auto" },
  fleet: null,
  defaults: {},
};

test("without a file there are no models and no defaults", () => {
  inPlace(({ root, load }) => {
    assert.deepEqual(load(), { ...nothing, path: null, folder: join(root, "work/tasks") });
  });
});

test("keys are read, and paths are those of the file", () => {
  inPlace(({ write, load, root }) => {
    write(
      "work/task-phase.yaml",
      `model_selection: priority
models: [{ name: rehearsal, adapter: replay, recordings: recordings/ }]
budget: { run: { passes: 20, time: 2h }, day: { money_usd: 5, tokens: 900 } }
checkpoint: commit
commits: task
keep: proof
sign: ssh
control: { poll: 5s }
evidence: { base_url: https://evidence.example.invalid/tasks/ }
notify: { webhook: https://example.invalid/hook, secret_env: HOOK_SECRET, ping: https://example.invalid/ping }
sandbox: bwrap
defaults: { budget: { passes: 3, money_usd: 2.5 }, completion_promise: null }
`,
    );
    const folder = join(root, "work");
    const { models, ...rest } = load();
    assert.deepEqual(rest, {
      path: join(folder, "task-phase.yaml"),
      folder,
      modelSelection: "priority",
      sandbox: "bwrap",
      budget: { run: { ...noLimits, passes: 20, timeMs: 7_200_000 }, day: { ...noLimits, moneyUsd: 5, tokens: 900 } },
      checkpoint: "commit",
      commits: "task",
      keep: "proof",
      sign: "ssh",
      workspace: "here",
      control: { pollMs: 5_000 },
      notify: {
        webhookUrl: "https://example.invalid/hook",
        secretEnv: "HOOK_SECRET",
        pingUrl: "https://example.invalid/ping",
      },
      evidence: { baseUrl: "https://evidence.example.invalid/tasks", hostKind: null, webBase: null, links: "auto" },
      fleet: null,
      defaults: { budget: { passes: 3, money_usd: 2.5 }, completion_promise: null },
    });
    assert.deepEqual(
      models.map((model) => [model.name, model.recordings, model.folder]),
      [["rehearsal", join(folder, "recordings"), folder]],
    );
    const contract = applyDefaults({ id: "T-1", title: "x" }, load().defaults);
    assert.deepEqual(
      [contract.budget, contract.completionPromise],
      [{ passes: 3, repairs: 5, moneyUsd: 2.5, tokens: null, timeMs: null }, null],
    );
  });
});

test("several models take turns where nothing else is said", () => {
  inPlace(({ write, load }) => {
    write("work/task-phase.yaml", "models: [{ name: a, adapter: pi }, { name: b, adapter: codex }]\n");
    const { models, modelSelection } = load();
    assert.deepEqual([models.map((model) => model.name), modelSelection], [["a", "b"], "round_robin"]);
  });
});

test("empty keys are as good as none", () => {
  inPlace(({ write, load, root }) => {
    write("work/task-phase.yaml", "models:\ndefaults:\nbudget:\ncontrol: {}\nsandbox:\nmodel_selection: round_robin\n");
    assert.deepEqual(load(), { ...nothing, path: join(root, "work/task-phase.yaml"), folder: join(root, "work") });
  });
});

refuses([
  ["modles: []", "TP_CONFIG_UNKNOWN_KEY 1:1 `modles` is not a known key → did you mean `models`?"],
  [
    "defaults: { id: T-1 }",
    "TP_CONFIG_UNKNOWN_KEY 1:13 `defaults.id` is not a known key → remove it; known keys here: priority, repo, user_facing, validators, scenarios, proof, parallel, protected, watched, tests_may_change, tests_changed, budget, bounds, retries_per_failure, advance, review, approve, completion_promise, degrade, question_wait",
  ],
  [
    "sandbox: docker",
    'TP_CONFIG_VALUE 1:10 `sandbox` must be none or bwrap, found the text "docker" → write sandbox: none',
  ],
  [
    "model_selection: random",
    'TP_CONFIG_VALUE 1:18 `model_selection` must be round_robin or priority, found the text "random" → write model_selection: priority',
  ],
  [
    "model_selection: roundrobin",
    'TP_CONFIG_VALUE 1:18 `model_selection` must be round_robin or priority, found the text "roundrobin" → did you mean `round_robin`?',
  ],
  [
    "sandbox: bwarp",
    'TP_CONFIG_VALUE 1:10 `sandbox` must be none or bwrap, found the text "bwarp" → did you mean `bwrap`?',
  ],
  [
    "commits: tasks",
    'TP_CONFIG_VALUE 1:10 `commits` must be pass or task, found the text "tasks" → did you mean `task`?',
  ],
  ["sign: gpg", 'TP_CONFIG_VALUE 1:7 `sign` must be none or ssh, found the text "gpg" → write sign: none'],
  ["keep: none", 'TP_CONFIG_VALUE 1:7 `keep` must be all or proof, found the text "none" → write keep: proof'],
  [
    "checkpoint: pach",
    'TP_CONFIG_VALUE 1:13 `checkpoint` must be patch, commit or push, found the text "pach" → did you mean `patch`?',
  ],
  [
    "control: { poll: 2h }",
    "TP_CONFIG_VALUE 1:18 `control.poll` must be between 1s and 1h → write a duration such as 30s",
  ],
  [
    "budget: { day: { money: 5 } }",
    "TP_CONFIG_UNKNOWN_KEY 1:18 `budget.day.money` is not a known key → did you mean `money_usd`?",
  ],
  [
    "models: [&a { name: a, adapter: replay, recordings: r }]",
    "TP_YAML_ALIAS 1:13 the anchor &a is not allowed → remove it, and write the value out where it is used",
  ],
  [
    "\u0000",
    "TP_TEXT_CHARACTER 1:1 a NUL character is used here, which programs read in different ways → remove the character",
  ],
]);

test("a file that was named must be there", () => {
  inPlace(({ problems }) => {
    assert.deepEqual(problems({ flag: "x.yaml" }), [
      "TP_CONFIG_FILE null:null the configuration file, named by --config, does not exist → correct the path",
    ]);
    assert.deepEqual(problems({ env: { TASK_PHASE_CONFIG: "x.yaml" } }), [
      "TP_CONFIG_FILE null:null the configuration file, named by TASK_PHASE_CONFIG, does not exist → correct the path",
    ]);
  });
});

test("a link beside the tasks is refused, and a person's own link is followed", () => {
  inPlace(({ root, write, load, problems }) => {
    const target = write("real.yaml", "models: []\n");
    symlinkSync(target, join(root, "named.yaml"));
    assert.equal(load({ flag: "named.yaml" }).path, join(root, "named.yaml"));
    symlinkSync(target, join(root, "work/task-phase.yaml"));
    assert.deepEqual(problems(), [
      "TP_CONFIG_FILE null:null the configuration file, found above the task folder, is a symbolic link, which is not followed → put a regular file there, or remove it",
    ]);
  });
});

test("a folder or a device in place of the file, and one that is too big, are named", () => {
  inPlace(({ root, write, problems }) => {
    mkdirSync(join(root, "work/tasks/task-phase.yaml"));
    assert.match(problems().join(), /is a folder/);
    write("big.yaml", "#".repeat(70_000));
    symlinkSync("/dev/zero", join(root, "zero.yaml"));
    assert.deepEqual(problems({ flag: "zero.yaml" }), [
      "TP_CONFIG_FILE null:null the configuration file, named by --config, is a FIFO, socket or device → correct the path",
    ]);
    assert.match(problems({ flag: "big.yaml" }).join(), /is too large for a configuration/);
  });
});
