import { join } from "node:path";
import { checkout, makeEnvironment, run } from "./pass-after-pass.mjs";
import { copyExample, playExample } from "./play-example.mjs";

/**
 * Makes every kind of page below a folder, with the built commands. Returns the name and the file of each, or null if
 * the example did not come to its end.
 */
export async function makePages(scratch, print) {
  const env = makeEnvironment(scratch);
  const taskPhase = (...args) =>
    run([process.execPath, join(checkout, "bin", "task-phase"), ...args, "--quiet"], scratch, env);

  const example = copyExample(join(scratch, "example"), env);
  if (!playExample(example, env, print)) return null;

  const arranged = join(scratch, "arranged");
  const tasksRoot = join(arranged, "tasks");
  const { writeTaskFolders } = await import(join(checkout, "dist", "test", "pages-real", "task-folders.js"));
  const names = writeTaskFolders(arranged);
  const title = "Nothing has been done here yet";
  taskPhase(
    "init",
    "--task-dir",
    join(tasksRoot, "T-5"),
    "--id",
    "T-5",
    "--title",
    title,
    "--repo",
    join(arranged, "app"),
  );
  for (const name of [...names, "T-5"]) taskPhase("evidence", "--task-dir", join(tasksRoot, name));
  taskPhase("board", "--tasks-root", tasksRoot);
  taskPhase("board", "--tasks-root", join(example, ".."));

  const pageOf = (taskDir) => join(taskDir, "artifacts", "evidence.html");
  const kinds = ["repairing", "hostile", "big", "one-line", "empty"];
  return [
    { name: "done", file: pageOf(example) },
    ...[...names, "T-5"].map((name, index) => ({ name: kinds[index], file: pageOf(join(tasksRoot, name)) })),
    { name: "board", file: join(tasksRoot, "index.html") },
    { name: "board-of-one", file: join(example, "..", "index.html") },
  ];
}
