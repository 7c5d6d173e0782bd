import assert from "node:assert/strict";
import { test } from "node:test";
import { writePrograms } from "../agents/programs.ts";
import { type LoopJson, makeLoopWorld } from "../cli/loop-world.ts";
import { after, noon, said } from "../cli/models-world.ts";

const quoted = (text: string) => `cat <<'END'\n${text.trimEnd()}\nEND\n`;
const loggedOut =
  "Your access token could not be refreshed because your refresh token was revoked. Please log out and sign in again.";
const trace = `file:///opt/pi/cli.js:2
import { enableCompileCache } from "node:module";
SyntaxError: The requested module 'node:module' does not provide an export named 'enableCompileCache'
    at ModuleJob._instantiate (node:internal/modules/esm/module_job:123:21)

Node.js v20.20.2`;

test("of four models one crashes, one is limited and one is logged out: the fourth does all ten tasks", async (t) => {
  const ids = Array.from({ length: 10 }, (_, index) => `T-${index + 1}`);
  const world = await makeLoopWorld(
    t,
    Object.fromEntries(ids.map((id) => [id, {}])),
    `model_selection: priority
models:
  - { name: pi, adapter: pi }
  - { name: claude, adapter: claude }
  - { name: codex, adapter: codex }
  - { name: walker, adapter: command, command: [WALKS] }
`,
  );
  const failed = JSON.stringify({ type: "turn.failed", error: { message: loggedOut } });
  const bin = writePrograms(world.path("bin"), {
    pi: `cat > /dev/null\n{ ${quoted(trace)}} >&2\nexit 1`,
    claude: `cat > /dev/null\n${quoted(said.claude.planLimit(after(7_200)))}exit 1`,
    codex: `cat > /dev/null\n${quoted(failed)}exit 1`,
  });
  const end = await world.call("task-phase-loop", ["--json", "--tasks-root", world.tasks, "--max-passes", "50"], {
    env: { PATH: `${bin}:${world.env.PATH}` },
    now: noon,
  });
  const night = end.json() as unknown as LoopJson;
  assert.deepEqual([night.exit_code, ids.map(world.phase)], [0, ids.map(() => "done")], end.stderr);
  const verdicts = night.passes.map(({ model, verdict }) => `${model} ${verdict}`);
  assert.deepEqual(verdicts, [
    ...["pi unavailable", "claude unavailable", "codex unavailable"],
    ...Array(50).fill("walker accepted"),
  ]);
  for (const id of ids) {
    const stops = world.events(id).filter((event) => "escalation" in event && event.escalation !== null);
    assert.deepEqual(stops, [], id);
  }
  const causes = [
    "pi needs Node 22.19 or newer, and ran under 20.20.2: SyntaxError: The requested module 'node:module'",
    "claude: You've hit your 5-hour limit",
    `codex: ${loggedOut}`,
  ];
  const files = ["log.txt", "EVIDENCE.md"].map((name) => world.read(`tasks/T-1/${name}`).replaceAll("\\", ""));
  for (const cause of causes) for (const text of files) assert.ok(text.includes(cause), `${cause}\n${text}`);
});
