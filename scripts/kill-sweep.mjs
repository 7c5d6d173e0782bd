// Kills a run at every moment at which it changes the disk, and looks whether the next one puts everything right:
//
//   npm run build && node scripts/kill-sweep.mjs [--by calls|syscalls] [--pass NAME] [--stride N] [--offset N]
//                                                [--double STRIDE] [--to-done]
//
// calls     before each call of node:fs, and in the middle of each write; needs nothing
// syscalls  at each system call of the main thread, with strace
// --double  at each STRIDEth moment of the recovering run too
//
// `npm test` takes a few of these moments (test/crash). All of them take an hour or so; each violation is printed with
// the moment that gives it again, and the exit code is 1 then.
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";

const built = new URL("../dist/test/crash/crash-world.js", import.meta.url);
const { assertReachesDone, assertRecovered, lookAtTask, makeCrashWorld, scenarios } = await import(built);

const { values } = parseArgs({
  options: {
    by: { type: "string", default: "calls" },
    pass: { type: "string" },
    stride: { type: "string", default: "1" },
    offset: { type: "string", default: "1" },
    double: { type: "string" },
    "to-done": { type: "boolean", default: false },
  },
});
const missed = "the run was not killed";
const stride = Number(values.stride);
const offset = Number(values.offset);
const changing =
  "write,pwrite64,rename,renameat,renameat2,unlink,unlinkat,rmdir,mkdir,mkdirat,link,linkat,symlink,fsync,ftruncate,fchmod,chmod";
// One thread of libuv and no io_uring: what strace counts by thread is then the same in each run.
const plain = { UV_THREADPOOL_SIZE: "1", UV_USE_IO_URING: "0" };

if (values.by === "syscalls" && spawnSync("strace", ["-V"]).status !== 0) {
  console.error("strace does not exist; --by calls needs nothing");
  process.exitCode = 1;
} else {
  const counts = { moments: 0, missed: 0, violations: 0 };
  for (const scenario of scenarios.filter(({ name }) => (values.pass ?? name) === name)) await sweep(scenario, counts);
  console.log(`${counts.moments} moments, ${counts.missed} of them did not come, ${counts.violations} violations`);
  // Node wakes itself with writes of its own, so the last few of a thousand may not come; more would prove nothing.
  if (counts.violations > 0 || counts.missed > counts.moments / 20) process.exitCode = 1;
}

async function sweep(scenario, counts) {
  const undo = [];
  const world = await makeCrashWorld({ after: (last) => undo.push(last) });
  try {
    await world.until(scenario.phase, scenario.phase === "verify");
    world.keep();
    const before = lookAtTask(world);
    const moments = await listMoments(world, scenario.agent, scenario.env);
    console.log(`${scenario.name}: ${moments.length} moments`);
    if (moments.length < scenario.calls * 0.8) {
      counts.violations += 1;
      console.log(`VIOLATION ${scenario.name}: ${scenario.calls} moments are known, so the counter sees less`);
    }
    for (let index = offset - 1; index < moments.length; index += stride) {
      for (const second of await listSecond(world, scenario, moments[index])) {
        counts.moments += 1;
        const problem = await tryMoment(world, scenario, before, moments[index], second);
        if (problem === null) continue;
        if (problem === missed) counts.missed += 1;
        if (problem === missed) continue;
        counts.violations += 1;
        console.log(
          `VIOLATION ${scenario.name} ${index + 1} ${describe(moments[index])}${second === null ? "" : `, then ${describe(second)}`}`,
        );
        console.log(problem.replace(/^/gm, "    "));
      }
    }
  } finally {
    for (const last of undo) last();
  }
}

async function tryMoment(world, scenario, before, moment, second) {
  world.reset();
  try {
    await killAt(world, scenario.agent, scenario.env, moment);
    if (second !== null) await killAt(world, "nobody", {}, second);
    await assertRecovered(world, before, [scenario.verdict, "interrupted"]);
    if (values["to-done"]) await assertReachesDone(world);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

async function killAt(world, model, env, moment) {
  const end = await world.start(model, startOptions(env, moment));
  // strace passes the signal on to itself, or says 128 + 9.
  if (end.signal !== "SIGKILL" && end.code !== 137) throw new Error(missed);
}

async function listMoments(world, model, env) {
  if (values.by === "calls") {
    const calls = await world.count(model, { env });
    return calls.flatMap((call, index) => {
      const at = { at: index + 1, call };
      return call.startsWith("writeSync")
        ? [
            { ...at, half: false },
            { ...at, half: true },
          ]
        : [{ ...at, half: false }];
    });
  }
  const list = path.join(world.folder, "tmp", "syscalls.txt");
  const wrap = ["strace", "-qq", "-o", list, "-e", `trace=${changing}`, "-e", "signal=none"];
  await world.start(model, { env: { ...env, ...plain }, wrap });
  const lines = readFileSync(list, "utf8")
    .split("\n")
    .filter((line) => /^\w+\(/.test(line));
  rmSync(list);
  const seen = new Map();
  return lines.map((line) => {
    const name = line.slice(0, line.indexOf("("));
    seen.set(name, (seen.get(name) ?? 0) + 1);
    return { name, at: seen.get(name), call: line.slice(0, 160) };
  });
}

async function listSecond(world, scenario, moment) {
  if (values.double === undefined) return [null];
  world.reset();
  await killAt(world, scenario.agent, scenario.env, moment);
  const moments = await listMoments(world, "nobody", {});
  return moments.filter((_, index) => index % Number(values.double) === 0);
}

function startOptions(env, moment) {
  if (moment.name === undefined) return { env, moment };
  // Without -f only the main thread is traced: it alone changes the disk, and the agent must not be killed.
  const inject = `inject=${moment.name}:signal=SIGKILL:when=${moment.at}`;
  return {
    env: { ...env, ...plain },
    wrap: ["strace", "-qq", "-o", "/dev/null", "-e", `trace=${moment.name}`, "-e", inject],
  };
}

function describe(moment) {
  return `[${moment.at}${moment.half ? " half" : ""} ${moment.call}]`;
}
