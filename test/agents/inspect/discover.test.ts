import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import {
  cronPath,
  crontabLine,
  defaultModel,
  findInstalled,
  findProgram,
  isOnCronPath,
} from "../../../lib/agents/inspect/discover.ts";
import { cliNames } from "../../../lib/documents/config/adapter-names.ts";
import { loadConfig } from "../../../lib/documents/config/load-config.ts";
import { makeFolder } from "../../process/arrange.ts";
import { writePrograms } from "../programs.ts";

test("agent CLIs are found on PATH in one order, and none of them is started", (t) => {
  const folder = makeFolder(t);
  const touch = `touch ${folder}/started`;
  const first = writePrograms(join(folder, "first"), { opencode: touch, claude: touch });
  const second = writePrograms(join(folder, "second"), { pi: touch, claude: touch, other: touch });
  const env = { PATH: `${first}:${second}`, ANTHROPIC_API_KEY: "sk-1", ANTHROPIC_BASE_URL: "", OPENAI_API_KEY: "x" };
  assert.deepEqual(findInstalled(env), [
    { name: "pi", path: join(second, "pi"), env: ["ANTHROPIC_API_KEY", "OPENAI_API_KEY"] },
    { name: "claude", path: join(first, "claude"), env: ["ANTHROPIC_API_KEY"] },
    { name: "opencode", path: join(first, "opencode"), env: ["ANTHROPIC_API_KEY", "OPENAI_API_KEY"] },
  ]);
  assert.equal(existsSync(join(folder, "started")), false);
});

test("the order is that of the adapters", (t) => {
  const folder = makeFolder(t);
  writePrograms(folder, Object.fromEntries([...cliNames].reverse().map((name) => [name, ""])));
  assert.deepEqual(
    findInstalled({ PATH: folder }).map((cli) => cli.name),
    [...cliNames],
  );
});

test("a file that is not executable, a folder and a program outside PATH are not found", (t) => {
  const folder = makeFolder(t);
  writePrograms(folder, { claude: "", pi: "" });
  chmodSync(join(folder, "claude"), 0o644);
  mkdirSync(join(folder, "codex"));
  writeFileSync(join(folder, "gemini.txt"), "");
  assert.deepEqual(
    findInstalled({ PATH: folder }).map((cli) => cli.name),
    ["pi"],
  );
  assert.deepEqual([findInstalled({}), findInstalled({ PATH: "" }), findInstalled({ PATH: "/nowhere" })], [[], [], []]);
});

test("a relative entry of PATH does not count, since a pass starts in another folder", (t) => {
  const folder = makeFolder(t);
  writePrograms(folder, { pi: "" });
  const before = process.cwd();
  t.after(() => process.chdir(before));
  process.chdir(folder);
  assert.deepEqual([findProgram("pi", ".::bin"), findProgram("sh", "bin")], [null, null]);
  assert.equal(findProgram("pi", `.:${folder}`), join(folder, "pi"));
});

test("the default model is the one that task-phase.yaml makes of its name, adapter and variables", (t) => {
  const folder = makeFolder(t);
  writeFileSync(join(folder, "task-phase.yaml"), "models: [{ name: codex, adapter: codex, env: [CODEX_API_KEY] }]\n");
  const loaded = loadConfig({ configFlag: null, env: {}, home: folder, taskDir: join(folder, "T-1") });
  assert.deepEqual(defaultModel({ name: "codex", env: ["CODEX_API_KEY"] }, folder), loaded.models[0]);
});

test("a program is on cron's PATH only where that leads to the very same one", (t) => {
  const folder = makeFolder(t);
  const own = writePrograms(join(folder, "own"), { claude: "", pi: "", codex: "" });
  const cron = writePrograms(join(folder, "cron"), { pi: "" });
  symlinkSync(join(own, "claude"), join(cron, "claude"));
  const asked = ["claude", "pi", "codex"].map((program) => ({ program, path: join(own, program) }));
  assert.deepEqual(
    asked.map((one) => isOnCronPath(one, cron)),
    [true, false, false],
  );
  assert.equal(isOnCronPath({ program: "claude", path: join(folder, "gone") }, cron), false);
});

test("the PATH that cron gives finds the programs of every system", () => {
  assert.equal(isOnCronPath({ program: "sh", path: "/bin/sh" }), true);
});

test("the line for the crontab names each folder once, and cron's own last", () => {
  const programs = [
    { program: "claude", path: "/opt/node/bin/claude" },
    { program: "codex", path: "/opt/node/bin/codex" },
    { program: "pi", path: "/home/dev/bin/pi" },
  ];
  assert.equal(crontabLine(programs), `PATH=/opt/node/bin:/home/dev/bin:${cronPath}`);
});
