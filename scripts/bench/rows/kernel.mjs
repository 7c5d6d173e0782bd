import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { makeWorld, walkTo } from "../worlds.mjs";
import { passArgv } from "./pass.mjs";
import { plainRow } from "./row.mjs";

const what = "of a verify → review pass, 5 files";

/** Programs started, the command and its `env` included, and fsyncs of one pass, as strace counts them. */
export function measureKernel({ folder }) {
  if (spawnSync("strace", ["-V"]).status !== 0) {
    return ["processes", "fsyncs"].map((name) => ({ id: `kernel.${name}`, why: "strace is not installed" }));
  }
  const world = makeWorld(folder);
  walkTo(world, "verify");
  const log = join(folder, "trace");
  const words = ["-f", "-qq", "-e", "trace=execve,fsync,fdatasync", "-e", "signal=none", "-o", log];
  const end = spawnSync("strace", [...words, ...passArgv(world)], { cwd: folder, env: world.env, encoding: "utf8" });
  if (end.status !== 0) throw new Error(`strace ended with ${end.status}: ${end.stderr}`);
  const trace = readFileSync(log, "utf8");
  // A call that another process interrupts is two lines; the second has the result.
  const count = (pattern) => trace.match(pattern)?.length ?? 0;
  return [
    plainRow("kernel.processes", `programs started ${what}`, "", count(/\bexecve(?:\(| resumed).*= 0$/gm)),
    plainRow("kernel.fsyncs", `fsyncs ${what}`, "", count(/\bf(?:data)?sync(?:\(| resumed).*= 0$/gm)),
  ];
}
