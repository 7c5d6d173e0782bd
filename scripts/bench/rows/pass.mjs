import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { command } from "../checkout.mjs";
import { rememberFolders } from "../restore.mjs";
import { measureRounds } from "../series.mjs";
import { agentArgv, makeWorld, walkTo } from "../worlds.mjs";
import { againstFloor, peakRow } from "./row.mjs";

const floor = fileURLToPath(new URL("../floors/pass.cjs", import.meta.url));

const worlds = {
  verify: { what: "verify → review, 5 files", phase: "verify" },
  shape: { what: "shape → implement, 5 files", phase: "shape" },
  inside: { what: "verify → review, tasks in the repo", phase: "verify", tasksInRepo: true },
  2000: { what: "verify → review, 2,000 files", phase: "verify", files: 2000 },
  20000: { what: "verify → review, 20,000 files", phase: "verify", files: 20_000 },
};

/** One pass against floor1 (Node, agent, check, reads, 11 fsyncs) and floor2 (with two fingerprints of the repo). */
export function* measurePass({ folder, n, wants }) {
  for (const [name, spec] of Object.entries(worlds)) {
    if (wants(`pass.${name}`)) yield* measureWorld(join(folder, name), name, spec, n);
  }
}

function measureWorld(folder, name, { what, phase, ...options }, n) {
  const world = makeWorld(folder, options);
  walkTo(world, phase);
  const variants = passVariants(world, join(folder, "kept"), phase === "verify");
  const runs = measureRounds(variants, { n: (options.files ?? 0) > 5000 ? Math.min(n, 5) : n });
  return [
    againstFloor(`pass.${name}`, `one pass, ${what}`, runs.pass, "floor2", runs.floor2),
    againstFloor(`pass.${name}.floor1`, `one pass, ${what}`, runs.pass, "floor1", runs.floor1),
    peakRow(`pass.${name}.rss`, `one pass, ${what}: memory`, runs.pass),
  ];
}

/** Each run begins with the same task folder, state folder and `.task-phase`. */
function passVariants(world, kept, isChecked) {
  const before = rememberFolders([world.tasksRoot, join(world.folder, "home")], kept);
  const common = { cwd: world.folder, env: world.env, before };
  const plan = {
    taskDir: world.taskDir,
    repo: world.repo,
    agent: agentArgv(world.taskDir),
    check: isChecked ? ["true"] : null,
  };
  const floorArgv = (fingerprints) => ["node", floor, JSON.stringify({ ...plan, fingerprints })];
  return {
    pass: { ...common, argv: passArgv(world), rss: true },
    floor1: { ...common, argv: floorArgv(false) },
    floor2: { ...common, argv: floorArgv(true) },
  };
}

export function passArgv({ taskDir }, model = "walk") {
  return [command, "run", "--model", model, taskDir];
}
