import assert from "node:assert/strict";
import { test } from "node:test";
import { adapters } from "../../../lib/agents/adapters/adapters.ts";
import {
  byHandStep,
  findStartTrouble,
  installStep,
  loginStep,
  missingStep,
  repairStep,
} from "../../../lib/agents/inspect/next-steps.ts";
import { cliNames } from "../../../lib/documents/config/adapter-names.ts";

test("a CLI is installed from its package, and where npm would take an old one, the Node to take is named", () => {
  assert.equal(installStep("codex", "20.19.0"), "npm install -g @openai/codex");
  assert.equal(installStep("pi", "24.1.0"), "npm install -g @earendil-works/pi-coding-agent");
  assert.equal(
    installStep("pi", "20.20.2"),
    "npm install -g @earendil-works/pi-coding-agent, under Node 22.19 or newer: under 20.20.2, npm silently installs an old one",
  );
});

test("a CLI that does not start under this Node needs another Node; other failures need a look by hand", () => {
  const pi = { name: "pi", path: "/bin/pi", timedOut: false } as const;
  assert.match(repairStep(pi, "20.20.2"), /^put Node 22\.19 or newer first on PATH; or let npm, /);
  assert.equal(
    repairStep(pi, "24.1.0"),
    "check what /bin/pi --version prints; or reinstall it: npm install -g @earendil-works/pi-coding-agent",
  );
  assert.match(repairStep({ ...pi, name: "claude" }, "20.20.2"), /^check what \/bin\/pi --version prints; /);
  assert.match(repairStep({ ...pi, timedOut: true }, "20.20.2"), /^run doctor again when the machine is less busy, /);
});

test("without a key, the login is named first and then the key", () => {
  assert.equal(
    loginStep("claude", [], {}),
    "`claude auth login`; or set ANTHROPIC_API_KEY and add `env: [ANTHROPIC_API_KEY]` to the model",
  );
  assert.equal(
    loginStep("codex", ["MY_URL"], { MY_URL: "x" }),
    "`codex login`; or set CODEX_API_KEY and add `env: [MY_URL, CODEX_API_KEY]` to the model",
  );
});

test("where the key depends on the provider, none is named", () => {
  assert.equal(
    loginStep("pi", [], {}),
    "log in with pi's /login, or pass on the key of the provider that it uses under `env`",
  );
});

test("a key that is set and not passed on is the first thing to say", () => {
  assert.equal(
    loginStep("claude", ["ANTHROPIC_BASE_URL"], { ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: "u" }),
    "ANTHROPIC_API_KEY is set here and not passed on: add `env: [ANTHROPIC_BASE_URL, ANTHROPIC_API_KEY]` to the model, or: `claude auth login`",
  );
  assert.match(
    loginStep("pi", [], { ANTHROPIC_API_KEY: "k", OPENAI_API_KEY: "k" }),
    /^ANTHROPIC_API_KEY and OPENAI_API_KEY are set here and not passed on: /,
  );
});

test("a key that was passed on and refused is to be looked at", () => {
  assert.equal(
    loginStep("gemini", ["GEMINI_API_KEY"], { GEMINI_API_KEY: "k" }),
    "make sure that GEMINI_API_KEY holds a valid key, or: start `gemini` and choose a login",
  );
});

test("each CLI has words to try it by hand, and names a key that its adapter knows", () => {
  for (const name of cliNames) {
    const step = byHandStep({ adapter: name, command: null, folder: "/tasks" });
    assert.ok(step.includes(` ${adapters[name].program} `) && step.endsWith(" < /dev/null"), step);
    const login = loginStep(name, [], {});
    // These two call whatever provider their user chose.
    if (name === "pi" || name === "opencode") {
      assert.match(login, /, or pass on the key of the provider that it uses under `env`/);
      continue;
    }
    const key = /set (\w+) and add/.exec(login)?.[1] ?? "";
    assert.ok(adapters[name].knownEnv.includes(key), `${name}: ${key}`);
  }
  assert.equal(
    byHandStep({ adapter: "command", command: ["../my agents/a.sh", "-x"], folder: "/repo/tasks" }),
    "try it by hand: '/repo/my agents/a.sh' -x",
  );
});

test("a missing CLI is to be installed, or its key corrected", () => {
  assert.equal(missingStep({ adapter: "codex" }, "codex was not found on PATH"), "npm install -g @openai/codex");
  assert.match(missingStep({ adapter: "command" }, "/a does not exist"), /^correct its `command` /);
  assert.match(missingStep({ adapter: "replay" }, "no recordings"), /^correct its `recordings` /);
  const script = missingStep({ adapter: "command" }, "/my agents/a.sh exists but is not executable");
  assert.equal(script, "`chmod +x '/my agents/a.sh'` makes it executable");
});

const trace = (node: string) => `file:///opt/pi/dist/cli.js:2
import { enableCompileCache } from "node:module";
         ^^^^^^^^^^^^^^^^^^
SyntaxError: The requested module 'node:module' does not provide an export named 'enableCompileCache'
    at ModuleJob._instantiate (node:internal/modules/esm/module_job:123:21)

Node.js v${node}
`;

test("a trace of an older Node than the CLI runs on says which one it needs, and what doctor says", () => {
  const trouble = findStartTrouble("pi", "pi", trace("20.20.2"));
  assert.equal(trouble?.need, "pi needs Node 22.19 or newer, and ran under 20.20.2");
  assert.match(
    trouble?.fix ?? "",
    /^put Node 22\.19 or newer first on PATH; or let npm, under Node 20\.20\.2, install/,
  );
});

test("a trace of a Node that is new enough, or of a CLI that runs on any, tells of another trouble", () => {
  assert.equal(findStartTrouble("pi", "pi", trace("22.19.0")), null);
  assert.equal(findStartTrouble("gemini", "gemini", trace("20.20.2")), null);
  assert.equal(findStartTrouble("pi", "pi", "error: unknown option '--x'\n"), null);
});

test("a CLI that finds no node at all, as with cron's PATH, says where there is one", () => {
  for (const said of [
    "/usr/bin/env: 'node': No such file or directory\n",
    "/usr/bin/env: ‘node’: No such file or directory",
  ]) {
    assert.deepEqual(findStartTrouble("codex", "codex", said, "/opt/node/bin/node"), {
      need: "codex needs node on PATH",
      fix: "put /opt/node/bin on PATH; if cron starts task-phase, write at the top of the crontab: PATH=/opt/node/bin:/usr/bin:/bin",
    });
  }
});
