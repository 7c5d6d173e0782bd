import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { applyDefaults, type LoadedConfig, loadConfig } from "../../lib/config/load-config.ts";
import { TaskPhaseError } from "../../lib/report/errors.ts";

interface Place {
  readonly root: string;
  readonly write: (path: string, text: string) => string;
  readonly load: (options?: { flag?: string; env?: NodeJS.ProcessEnv }) => LoadedConfig;
  readonly problems: (options?: { flag?: string; env?: NodeJS.ProcessEnv }) => string[];
}

/** A home and a tree `work/tasks/T-1` in a folder of their own. */
function inPlace(run: (place: Place) => void): void {
  const root = mkdtempSync(join(tmpdir(), "task-phase-config-"));
  const taskDir = join(root, "work/tasks/T-1");
  mkdirSync(taskDir, { recursive: true });
  const write = (path: string, text: string): string => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
    return join(root, path);
  };
  const load: Place["load"] = ({ flag = null, env = {} }: { flag?: string | null; env?: NodeJS.ProcessEnv } = {}) =>
    loadConfig({ configFlag: flag, env, home: join(root, "home"), taskDir, cwd: root });
  const problems: Place["problems"] = (options) => {
    try {
      load(options);
    } catch (error) {
      if (!(error instanceof TaskPhaseError)) throw error;
      assert.equal(error.exitName, "config");
      return error.findings.map(
        ({ code, line, column, message, fix }) => `${code} ${line}:${column} ${message} → ${fix}`,
      );
    }
    return assert.fail("loads");
  };
  try {
    run({ root, write, load, problems });
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

test("without a file there are no models and no defaults", () => {
  inPlace(({ root, load }) => {
    assert.deepEqual(load(), { path: null, folder: join(root, "work/tasks"), models: [], defaults: {} });
  });
});

test("the flag beats the environment, that the nearest folder, and that the user's own file", () => {
  inPlace(({ write, load, root }) => {
    const own = write("home/.config/task-phase/task-phase.yaml", "");
    assert.equal(load().path, own);
    const xdg = write("xdg/task-phase/task-phase.yaml", "");
    assert.equal(load({ env: { XDG_CONFIG_HOME: join(root, "xdg") } }).path, xdg);
    assert.equal(load({ env: { XDG_CONFIG_HOME: "xdg" } }).path, own);
    const far = write("work/task-phase.yaml", "");
    assert.equal(load().path, far);
    const near = write("work/tasks/task-phase.yaml", "");
    assert.equal(load().path, near);
    write("work/tasks/T-1/task-phase.yaml", "nonsense: true");
    assert.equal(load({ env: { TASK_PHASE_CONFIG: "" } }).path, near);
    const other = write("other.yaml", "");
    assert.equal(load({ env: { TASK_PHASE_CONFIG: "other.yaml" } }).path, other);
    const flag = write("flag.yaml", "");
    assert.deepEqual(load({ flag: "flag.yaml", env: { TASK_PHASE_CONFIG: "other.yaml" } }), {
      path: flag,
      folder: root,
      models: [],
      defaults: {},
    });
  });
});

test("models are read with their defaults, and paths are those of the file", () => {
  inPlace(({ write, load, root }) => {
    write(
      "work/task-phase.yaml",
      `model_selection: priority
models:
  - { name: mine, adapter: command, command: [./agents/mine.sh], args: [-q], prompt: file, timeout: 5m, env: [MY_KEY] }
  - { name: rehearsal, adapter: replay, recordings: recordings/ }
budget: { run: {}, day: {} }
evidence: { base_url: null }
notify: { webhook: null, secret_env: null }
sandbox: none
defaults: { budget: { passes: 3 }, completion_promise: null }
`,
    );
    const folder = join(root, "work");
    assert.deepEqual(load(), {
      path: join(folder, "task-phase.yaml"),
      folder,
      models: [
        {
          name: "mine",
          adapter: "command",
          command: ["./agents/mine.sh"],
          prompt: "file",
          recordings: null,
          timeoutMs: 300_000,
          env: ["MY_KEY"],
          args: ["-q"],
          folder,
        },
        {
          name: "rehearsal",
          adapter: "replay",
          command: null,
          prompt: "stdin",
          recordings: join(folder, "recordings"),
          timeoutMs: 1_800_000,
          env: [],
          args: [],
          folder,
        },
      ],
      defaults: { budget: { passes: 3 }, completion_promise: null },
    });
    const contract = applyDefaults({ id: "T-1", title: "x" }, load().defaults);
    assert.deepEqual([contract.budget, contract.completionPromise], [{ passes: 3, repairs: 5 }, null]);
  });
});

test("empty keys are as good as none", () => {
  inPlace(({ write, load }) => {
    write("work/task-phase.yaml", "models:\ndefaults:\nbudget:\ncontrol: {}\nmodel_selection: round_robin\n");
    assert.deepEqual([load().models, load().defaults], [[], {}]);
  });
});

for (const [yaml, expected] of [
  ["modles: []", "TP_CONFIG_UNKNOWN_KEY 1:1 `modles` is not a known key → did you mean `models`?"],
  [
    "defaults: { id: T-1 }",
    "TP_CONFIG_UNKNOWN_KEY 1:13 `defaults.id` is not a known key → remove it; known keys here: priority, repo, user_facing, validators, scenarios, protected, watched, tests_changed, budget, retries_per_failure, review, completion_promise, degrade",
  ],
  ["sandbox: bwrap", "TP_NOT_AVAILABLE 1:1 `sandbox` is not available in this version of task-phase → remove the key"],
  [
    "notify: { webhook: http://x }",
    "TP_NOT_AVAILABLE 1:1 `notify` is not available in this version of task-phase → remove the key",
  ],
  [
    "checkpoint: patch",
    "TP_NOT_AVAILABLE 1:1 `checkpoint` is not available in this version of task-phase → remove the key",
  ],
  [
    "models: [{ name: a, adapter: claude }]",
    "TP_NOT_AVAILABLE 1:21 `models[1].adapter` is not available in this version of task-phase: claude → use `adapter: command` with the program's own command line",
  ],
  [
    "models: [{ name: a, adapter: clod }]",
    'TP_CONFIG_VALUE 1:30 `models[1].adapter` must be command or replay, found the text "clod" → write command or replay',
  ],
  [
    "models: [{ name: a/b, adapter: replay, recordings: r }]",
    "TP_CONFIG_VALUE 1:18 `models[1].name` must have no slash → give the model a short name",
  ],
  [
    "models: [{ name: a, adapter: replay }]",
    "TP_CONFIG_VALUE 1:21 `models[1]` (a) has the adapter replay and no `recordings` → add `recordings:`",
  ],
  [
    "models: [{ name: a, adapter: command, command: [x], recordings: r }]",
    "TP_CONFIG_VALUE 1:53 `models[1]` (a) has a `recordings`, which the adapter command does not use → remove the key",
  ],
  [
    "models: [{ name: a, adapter: command, command: x y }]",
    'TP_CONFIG_VALUE 1:48 `models[1].command` must be a list of words, found the text "x y" → write a list, since no shell runs it: command: [x, y]',
  ],
  [
    "models: [{ name: a, adapter: replay, recordings: r, env: [A=b] }]",
    'TP_CONFIG_VALUE 1:59 `models[1].env[1]` must be the name of an environment variable, never its value, found the text "A=b" → write a name such as MY_API_KEY',
  ],
  [
    "models: [{ name: a, adapter: replay, recordings: r, env: [TASK_PHASE_PASS] }]",
    "TP_CONFIG_VALUE 1:59 `models[1].env[1]` must not begin with TASK_PHASE_: the runner sets those itself → remove it",
  ],
  [
    "models: [{ name: a, adapter: replay, recordings: r, price: { input_per_mtok: 3 } }]",
    "TP_NOT_AVAILABLE 1:53 `models[1].price` is not available in this version of task-phase → remove the key",
  ],
  [
    "models: [&a { name: a, adapter: replay, recordings: r }]",
    "TP_YAML_ALIAS 1:13 the anchor &a is not allowed → remove it, and write the value out where it is used",
  ],
  [
    "model_selection: round_robin\nmodels: [{ name: a, adapter: replay, recordings: r }, { name: b, adapter: replay, recordings: r }]",
    "TP_NOT_AVAILABLE 1:1 `model_selection: round_robin` over several models is not available in this version of task-phase → write model_selection: priority; the first model does the passes",
  ],
  [
    "models: [{ name: a, adapter: replay, recordings: r }, { name: a, adapter: replay, recordings: r }]",
    "TP_CONFIG_VALUE 1:57 `models[2]` (a) has the name of another model → give each model a name of its own",
  ],
  [
    "\u0000",
    "TP_TEXT_CHARACTER 1:1 a NUL character stands here, which programs read in different ways → remove the character",
  ],
] as const) {
  test(`a wrong configuration is a config error with its place: ${JSON.stringify(yaml.slice(0, 70))}`, () => {
    inPlace(({ write, problems }) => {
      write("work/task-phase.yaml", `${yaml}\n`);
      assert.deepEqual(problems(), [expected]);
    });
  });
}

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

test("a folder in place of the file, and one that is too big, are named", () => {
  inPlace(({ root, write, problems }) => {
    mkdirSync(join(root, "work/tasks/task-phase.yaml"));
    assert.match(problems().join(), /is a folder/);
    write("big.yaml", "#".repeat(70_000));
    assert.match(problems({ flag: "big.yaml" }).join(), /is too big to be a configuration/);
  });
});
