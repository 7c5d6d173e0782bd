import assert from "node:assert/strict";
import { test } from "node:test";
import { inPlace, refuses } from "./arrange.ts";

const value = (column: number, said: string, fix: string) => `TP_CONFIG_VALUE 1:${column} \`fleet${said} → ${fix}`;
const writeRef = "write ref: task-phase/{id}";
const writeCode = "write code: https://HOST/PATH, ssh://git@HOST/PATH or git@HOST:PATH";
const holdsSecret = "must not contain a user name, password, query or fragment: many people read this file";
const writeName = "write a name such as main";
const writeEnv = "write a name such as TASK_PHASE_ENGINE_URL";
const badAccount =
  "use letters, digits, hyphens, dots and underscores, at most 64, and not the name of a JavaScript object property";

refuses([
  [
    "fleet: true",
    value(8, "` must be a map with keys such as engine, base, ref, found true", "write `key: value` pairs"),
  ],
  ["fleet: { engin: {} }", "TP_CONFIG_UNKNOWN_KEY 1:10 `fleet.engin` is not a known key → did you mean `engine`?"],
  [
    "fleet: { engine: 'postgres://me:pw@db/x' }",
    value(
      18,
      ".engine` must be a map with url_env and schema, never the URL itself",
      "write engine: { url_env: TASK_PHASE_ENGINE_URL }",
    ),
  ],
  ["fleet: { engine: {} }", "TP_CONFIG_MISSING_KEY 1:18 `fleet.engine.url_env` is missing → add `url_env:`"],
  // The value may be a URL with a password, so no message shows it.
  [
    "fleet: { engine: { url_env: 'postgres://me:pw@db/x' } }",
    value(29, ".engine.url_env` must be the name of an environment variable, never its value", writeEnv),
  ],
  [
    "fleet: { engine: { url_env: A, schema: 'x; drop' } }",
    value(
      40,
      '.engine.schema` must be a name of lower-case letters, digits and underscores, at most 50, found the text "x; drop"',
      "write schema: task_phase",
    ),
  ],
  ["fleet: { base: -x }", value(16, ".base` cannot be a branch: it begins with a hyphen", writeName)],
  ["fleet: { base: 'a..b' }", value(16, ".base` cannot be a branch: it contains `..`", writeName)],
  ["fleet: { base: HEAD }", value(16, ".base` cannot be a branch: it is the word HEAD", writeName)],
  ["fleet: { ref: '{id}' }", value(15, ".ref` must end with `/{id}`, which occurs once", writeRef)],
  ["fleet: { ref: 'a/{id}/b' }", value(15, ".ref` must end with `/{id}`, which occurs once", writeRef)],
  ["fleet: { ref: 'a/{id}/{id}' }", value(15, ".ref` must end with `/{id}`, which occurs once", writeRef)],
  ["fleet: { ref: '/{id}' }", value(15, ".ref` cannot be a branch: it has an empty part beside a slash", writeRef)],
  ["fleet: { ref: 'a b/{id}' }", value(15, ".ref` cannot be a branch: it contains a space", writeRef)],
  ["fleet: { code: [a] }", value(16, ".code` must be the URL of a repository", writeCode)],
  ["fleet: { code: 'ext::sh -c true' }", value(16, ".code` must be the URL of a repository", writeCode)],
  ["fleet: { code: ../app }", value(16, ".code` must be a URL or an absolute path", writeCode)],
  // No message shows a password.
  ["fleet: { code: 'https://me:pw@host/app.git' }", value(16, `.code\` ${holdsSecret}`, writeCode)],
  [
    "fleet: { after: done. }",
    value(17, '.after` must be merged or done, found the text "done."', "did you mean `done`?"),
  ],
  [
    "fleet: { lease: { heartbeat: 5s } }",
    value(30, ".lease.heartbeat` must be between 10s and 1h", "write a duration such as heartbeat: 30s"),
  ],
  [
    "fleet: { lease: { heartbeat: 10s } }",
    value(
      17,
      ".lease` must have a margin that is shorter than its heartbeat",
      "write lease: { heartbeat: 30s, margin: 10s }",
    ),
  ],
  [
    "fleet: { attempts: 0 }",
    value(20, ".attempts` must be a whole number of at least 1, found 0", "write a number such as 5"),
  ],
  [
    "fleet: { prepare: npm ci }",
    value(
      19,
      '.prepare` must be a list of words, found the text "npm ci"',
      "write a list, since no shell runs it: command: [npm, ci]",
    ),
  ],
  [
    "fleet: { prepare: [[npm, ci], [1]] }",
    value(32, ".prepare[2][1]` must be text, found 1", "put the word in quotes"),
  ],
  [
    "fleet: { clone: { cache: repos } }",
    value(
      26,
      '.clone.cache` must be an absolute path, found the text "repos"',
      "write a path such as /var/cache/task-phase",
    ),
  ],
  [
    "fleet: { clone: { filter: 'tree:0' } }",
    value(27, '.clone.filter` must be blob:none or null, found the text "tree:0"', "write filter: blob:none"),
  ],
  [
    "fleet: { accounts: [a] }",
    value(20, ".accounts` must be a map of accounts, found a list", "write accounts: { team-a: { models: [claude] } }"),
  ],
  [
    "fleet: { accounts: { a: { models: [] } } }",
    value(35, ".accounts.a.models` must name a model", "write a list such as models: [claude]"),
  ],
  [
    "fleet: { accounts: { a: { model: [x] } } }",
    "TP_CONFIG_MISSING_KEY 1:25 `fleet.accounts.a.models` is missing → add `models:`",
    "TP_CONFIG_UNKNOWN_KEY 1:27 `fleet.accounts.a.model` is not a known key → did you mean `models`?",
  ],
  ...["constructor", "__proto__", "a b"].map((name): [string, string] => [
    `fleet: { accounts: { ${name}: {} } }`,
    value(20, ".accounts` has an account with a name that cannot be used", badAccount),
  ]),
  [
    "fleet: { accounts: { a: { models: [claud] } } }\nmodels: [{ name: claude, adapter: claude }]",
    "TP_CONFIG_VALUE 1:36 the account a of `fleet.accounts` names claud, but `models` has no such model → did you mean claude? the models are: claude",
  ],
  [
    "fleet: { accounts: { a: { models: [c] }, b: { models: [c] } } }\nmodels: [{ name: c, adapter: claude }]",
    "TP_CONFIG_VALUE 1:56 the account b of `fleet.accounts` names c, which already belongs to a → list each model under one account",
  ],
  [
    "fleet: { budget: { run: {} } }",
    "TP_CONFIG_UNKNOWN_KEY 1:20 `fleet.budget.run` is not a known key → remove it; known keys here: day",
  ],
]);

test("without the key, or with null, there is no fleet; an empty map is one with every default", () => {
  inPlace(({ write, load }) => {
    assert.equal(load().fleet, null);
    write("work/task-phase.yaml", "fleet:\n");
    assert.equal(load().fleet, null);
    write("work/task-phase.yaml", "fleet: {}\n");
    assert.deepEqual(load().fleet, {
      engine: null,
      base: null,
      ref: "task-phase/{id}",
      code: null,
      after: "merged",
      lease: { heartbeatMs: 30_000, marginMs: 10_000 },
      attempts: 3,
      prepare: [],
      clone: { cache: null, filter: null },
      accounts: [],
      budget: { day: { passes: null, moneyUsd: null, tokens: null, timeMs: null } },
    });
  });
});

test("each key is read", () => {
  inPlace(({ write, load }) => {
    write(
      "work/task-phase.yaml",
      `models: [{ name: claude, adapter: claude }, { name: codex, adapter: codex }]
fleet:
  engine: { url_env: TASK_PHASE_ENGINE_URL, schema: phases }
  base: main
  ref: agents/tasks/{id}
  code: ssh://git@host/team/app.git
  after: done
  lease: { heartbeat: 1m, margin: 20s }
  attempts: 5
  prepare: [npm, ci]
  clone: { cache: /var/cache/tp, filter: blob:none }
  accounts:
    team-a: { models: [claude, codex], concurrent: 6, starts_per_minute: 20 }
  budget: { day: { money_usd: 200 } }
`,
    );
    assert.deepEqual(load().fleet, {
      engine: { urlEnv: "TASK_PHASE_ENGINE_URL", schema: "phases" },
      base: "main",
      ref: "agents/tasks/{id}",
      code: "ssh://git@host/team/app.git",
      after: "done",
      lease: { heartbeatMs: 60_000, marginMs: 20_000 },
      attempts: 5,
      prepare: [["npm", "ci"]],
      clone: { cache: "/var/cache/tp", filter: "blob:none" },
      accounts: [{ name: "team-a", models: ["claude", "codex"], concurrent: 6, startsPerMinute: 20 }],
      budget: { day: { passes: null, moneyUsd: 200, tokens: null, timeMs: null } },
    });
    write("work/task-phase.yaml", "fleet: { prepare: [[npm, ci], [make, deps]] }\n");
    assert.deepEqual(load().fleet?.prepare, [
      ["npm", "ci"],
      ["make", "deps"],
    ]);
  });
});
