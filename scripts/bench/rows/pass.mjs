import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { command } from "../checkout.mjs";
import { rememberFolders } from "../restore.mjs";
import { measureRounds } from "../series.mjs";
import { agentArgv, makeWorld, walkTo } from "../worlds.mjs";
import { againstFloor, peakRow } from "./row.mjs";

const floor = fileURLToPath(new URL("../floors/pass.cjs", import.meta.url));

const worlds = [
  { name: "verify", what: "verify → review, 5 files", phase: "verify" },
  { name: "shape", what: "shape → implement, 5 files", phase: "shape" },
  { name: "inside", what: "verify → review, tasks in the repo", phase: "verify", tasksInRepo: true },
  { name: "2000", what: "verify → review, 2,000 files", phase: "verify", files: 2000 },
  { name: "20000", what: "verify → review, 20,000 files", phase: "verify", files: 20_000 },
  {
    name: "20000-off",
    what: "verify → review, 20,000 files, `proof` off",
    phase: "verify",
    files: 20_000,
    proof: false,
  },
];

/**
 * One pass against three floors: floor1 (Node, agent, check, reads, 11 fsyncs), floor2 (with two fingerprints of the
 * repo), and floor3 (with the check in a clean copy too, as the proof has it; only where a check is run).
 */
export function* measurePass({ folder, n, wants }) {
  for (const { name, ...spec } of worlds) {
    if (wants(`pass.${name}`)) yield* measureWorld(join(folder, name), name, spec, n);
  }
}

function measureWorld(folder, name, { what, phase, ...options }, n) {
  const world = makeWorld(folder, options);
  walkTo(world, phase);
  const hasCopy = phase === "verify" && options.proof !== false;
  const variants = passVariants(world, join(folder, "kept"), { isChecked: phase === "verify", hasCopy });
  const runs = measureRounds(variants, { n, budgetSeconds: 40 });
  const against = (floor) => againstFloor(`pass.${name}.${floor}`, `one pass, ${what}`, runs.pass, floor, runs[floor]);
  return [
    { ...against("floor2"), id: `pass.${name}` },
    against("floor1"),
    ...(hasCopy ? [against("floor3")] : []),
    peakRow(`pass.${name}.rss`, `one pass, ${what}: memory`, runs.pass),
  ];
}

/** Each run begins with the same task folder, state folder and `.task-phase`. */
export function passVariants(world, kept, { isChecked, hasCopy }) {
  const before = rememberFolders([world.tasksRoot, join(world.folder, "home")], kept);
  const common = { cwd: world.folder, env: world.env, before };
  const check = isChecked ? ["true"] : null;
  const plan = { taskDir: world.taskDir, repo: world.repo, agent: agentArgv(world.taskDir), check };
  const floorOf = (more) => ({
    ...common,
    argv: ["node", floor, JSON.stringify({ ...plan, fingerprints: true, copy: null, ...more })],
  });
  return {
    pass: { ...common, argv: passArgv(world), rss: true },
    floor1: floorOf({ fingerprints: false }),
    floor2: floorOf({}),
    ...(hasCopy ? { floor3: floorOf({ copy: join(world.folder, "copy") }) } : {}),
  };
}

export function passArgv({ taskDir }, model = "walk") {
  return [command, "run", "--model", model, taskDir];
}
