import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readTemplate, writeClones } from "../clone-task.mjs";
import { addPasses } from "../more-passes.mjs";
import { rememberFolders } from "../restore.mjs";
import { measureRounds } from "../series.mjs";
import { makeWorld, pass, walkTo } from "../worlds.mjs";
import { passArgv } from "./pass.mjs";
import { marginalRow, plainRow } from "./row.mjs";

const growths = {
  siblings: { what: "one more worked sibling task, in a pass", sizes: [0, 10, 100, 1000], build: withSiblings },
  passes: { what: "one more recorded pass of the task, in a pass", sizes: [5, 101, 1001], build: withPasses },
  artifacts: { what: "one more file in artifacts/, in a pass", sizes: [0, 100, 1000, 10_000], build: withArtifacts },
};

/**
 * A verify → review pass of worlds that differ in one number. Each has done the pass before in its full size, so that
 * what may be remembered of it is.
 */
export function* measureGrowth({ folder, n, wants }) {
  for (const [name, growth] of Object.entries(growths)) {
    if (wants(`growth.${name}`)) yield* measureOne(join(folder, name), name, growth, n);
  }
}

function* measureOne(folder, name, { what, sizes, build }, n) {
  const worlds = sizes.map((size) => {
    const world = build(join(folder, String(size)), size);
    const { tasksRoot, folder: inside } = world;
    const before = rememberFolders([tasksRoot, join(inside, "home")], join(inside, "kept"));
    return { size, world, before };
  });
  const variants = worlds.map(({ size, world, before }) => [
    size,
    { argv: passArgv(world), cwd: world.folder, env: world.env, before },
  ]);
  const runs = measureRounds(Object.fromEntries(variants), { n, budgetSeconds: 45 });
  const [least, ...more] = sizes.map((size) => ({ size, runs: runs[size] }));
  for (const one of more) {
    const id = one === more.at(-1) ? `growth.${name}` : `growth.${name}.${one.size}`;
    const range = `from ${least.size.toLocaleString("en")} to ${one.size.toLocaleString("en")}`;
    yield marginalRow(id, `${what}, ${range}`, least, one);
  }
  if (name === "siblings") yield measureBytes(worlds[0], worlds.at(-1));
}

/** What a sibling adds to current.json, which the runner holds while the agent works. */
function measureBytes(...ends) {
  const [least, most] = ends.map(({ world, before }) => {
    before();
    pass(world, "looks");
    return Number(readFileSync(join(world.folder, "looked"), "utf8"));
  });
  const each = Math.round((most - least) / (ends[1].size - ends[0].size));
  return plainRow("growth.siblings.bytes", "one more worked sibling task, in current.json", "bytes", each);
}

export function withSiblings(folder, size) {
  const world = makeWorld(folder);
  walkTo(world, "implement");
  writeClones(readTemplate(world.taskDir), world.tasksRoot, 2, size + 1);
  walkTo(world, "verify");
  return world;
}

function withPasses(folder, size) {
  const world = makeWorld(folder);
  walkTo(world, "implement");
  pass(world, "stay");
  pass(world, "stay");
  // The pass to verify is recorded too.
  addPasses(world.taskDir, size - 1);
  walkTo(world, "verify");
  return world;
}

function withArtifacts(folder, size) {
  const world = makeWorld(folder);
  walkTo(world, "implement");
  const into = join(world.taskDir, "artifacts", "measured");
  mkdirSync(into, { recursive: true });
  for (let index = 0; index < size; index += 1) writeFileSync(join(into, `result-${index}.txt`), `result ${index}\n`);
  walkTo(world, "verify");
  return world;
}
