import { command } from "../checkout.mjs";
import { measureRounds } from "../series.mjs";
import { makeWorld } from "../worlds.mjs";
import { againstFloor } from "./row.mjs";

const calls = { version: ["--version"], help: ["--help"], "run-help": ["run", "--help"] };

/** What the commands cost that do no work, against a Node that does nothing. */
export function measureStart({ folder, n }) {
  const world = makeWorld(folder);
  const { env } = world;
  const bare = { argv: ["node", "-e", "0"], cwd: folder, env };
  const status = { argv: [command, "status", "T-1"], cwd: folder, env };
  const others = Object.entries(calls).map(([name, words]) => [name, { ...bare, argv: [command, ...words] }]);
  const runs = measureRounds({ bare, ...Object.fromEntries(others), status }, { n });
  return [...Object.entries(calls), ["status", ["status", "T-1"]]].map(([name, words]) =>
    againstFloor(`start.${name}`, `\`task-phase ${words.join(" ")}\``, runs[name], "node -e 0", runs.bare),
  );
}
