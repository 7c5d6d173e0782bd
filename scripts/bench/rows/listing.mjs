import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { command } from "../checkout.mjs";
import { readTemplate, writeClones } from "../clone-task.mjs";
import { rememberFolders } from "../restore.mjs";
import { measureRounds } from "../series.mjs";
import { callCommand, makeWorld, walkTo } from "../worlds.mjs";
import { againstFloor, peakRow } from "./row.mjs";

const floor = fileURLToPath(new URL("../floors/list.cjs", import.meta.url));

/** `status` and `board` over many tasks, with no cache of these tasks, and again at once, against readdir and stat. */
export function* measureListing({ folder, n, full, wants }) {
  for (const kind of ["fresh", "worked"]) {
    for (const size of sizesOf(kind, full)) {
      const names = ["status", "board"].filter((name) => wants(`${name}.${size}.${kind}`));
      if (names.length > 0) yield* measureSize(join(folder, `${kind}-${size}`), { kind, size, names, n });
    }
  }
}

/** 10,000 worked tasks are 300,000 files. */
function sizesOf(kind, full) {
  if (kind === "worked") return full ? [100, 1000, 10_000] : [100, 1000];
  return full ? [100, 1000, 10_000, 100_000] : [100, 1000, 10_000];
}

function measureSize(folder, { kind, size, names, n }) {
  const world = makeWorld(folder);
  if (kind === "worked") walkTo(world, "verify");
  // Whatever of the program itself is cached for the next start is there before the first look at these tasks.
  callCommand(world, ["status"]);
  callCommand(world, ["board"]);
  const home = join(folder, "home");
  writeClones(readTemplate(world.taskDir), world.tasksRoot, 2, size);
  const before = rememberFolders([home, join(world.tasksRoot, ".task-phase")], join(folder, "kept"));
  const common = { cwd: folder, env: world.env, rss: true };
  return names.flatMap((name) => {
    const again = { ...common, argv: [command, name, "--tasks-root", world.tasksRoot] };
    const variants = {
      floor: { ...common, argv: ["node", floor, world.tasksRoot] },
      first: { ...again, before },
      again,
    };
    const runs = measureRounds(variants, { n, budgetSeconds: 25 });
    const what = `\`${name}\`, ${size.toLocaleString("en")} ${kind} tasks`;
    const id = `${name}.${size}.${kind}`;
    return [
      againstFloor(id, `${what}, first time`, runs.first, "readdir + stat", runs.floor),
      againstFloor(`${id}.again`, `${what}, again`, runs.again, "readdir + stat", runs.floor),
      peakRow(`${id}.rss`, `${what}: memory`, [...runs.first, ...runs.again]),
    ];
  });
}
