import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import { after, before, describe, test } from "node:test";
import type { RunEnd } from "../../cli/arrange.ts";
import { missing, type Postgres, startPostgres } from "../../fleet/engine/postgres.ts";
import { type Fleet, makeFleet } from "../../fleet/fleet-world.ts";
import { doneTasks } from "./done-tasks.ts";

// One of each by default; `npm run test:fleet` asks for more.
const sizes = (process.env.FLEET_SIZES ?? "1").split(",").map(Number);
const tasks = Number(process.env.FLEET_SCALE_TASKS ?? "1");
const nap = { AGENT_NAP: process.env.FLEET_NAP ?? "0" };

describe("workers beside the same passes without an engine", { skip: missing }, () => {
  let postgres: Postgres;
  before(() => {
    postgres = startPostgres();
  });
  after(() => postgres.remove());

  for (const size of sizes)
    test(`${size} of each do ${tasks} tasks, 5 passes each`, async (t) => {
      const bare = await timed(() => workBare(arrange(t, "none"), size));
      const fleet = arrange(t, `scale_${size}`);
      const call = (name: string, words: string, onStart?: (child: ChildProcess) => void) => {
        const env = { ...fleet.machine(name).env, ...nap, MY_ENGINE: postgres.url };
        const options = { env, ...(onStart === undefined ? {} : { onStart }) };
        return fleet.run("task-phase", [...words.split(" "), "--remote", fleet.remote], options);
      };
      assert.equal((await call("desk", "fleet setup")).code, 0);
      const crew: ChildProcess[] = [];
      const names = ["dispatcher", ...Array.from({ length: size }, (_value, index) => `w${index}`)];
      // A look at the remote again and again would take the cores from the workers, and nothing does it to the bare ones.
      const heard = listenForDone();
      const begin = (name: string) =>
        call(name, name === "dispatcher" ? "dispatch" : "worker", (child) => {
          crew.push(child);
          heard.listen(child);
        });
      let ends: Promise<RunEnd>[] = [];
      const led = await timed(async () => {
        ends = names.map(begin);
        await Promise.race([heard.all, ...ends]);
      });
      assert(isDone(fleet));
      for (const child of crew) child.kill("SIGTERM");
      for (const { code, stderr } of await Promise.all(ends)) assert.equal(code, 143, stderr);
      t.diagnostic(`${size}: bare ${bare.toFixed(1)} s, workers ${led.toFixed(1)} s, ratio ${(led / bare).toFixed(2)}`);
    });

  function arrange(t: Parameters<typeof makeFleet>[0], schema: string): Fleet {
    const ids = Array.from({ length: tasks }, (_value, index) => `T-${index + 1}`);
    const engine = schema === "none" ? "" : `engine: { url_env: MY_ENGINE, schema: ${schema} }, `;
    return makeFleet(t, { tasks: ids, config: `fleet: { ${engine}after: done }\n` });
  }
});

/** As xargs does it: each of so many takes the next task, and calls `run --claim` until it is done. */
async function workBare(fleet: Fleet, size: number): Promise<void> {
  const queue = Array.from({ length: tasks }, (_value, index) => `T-${index + 1}`);
  const one = async (name: string): Promise<void> => {
    for (let task = queue.shift(); task !== undefined; task = queue.shift())
      for (let pass = 1; pass <= 5; pass += 1) {
        const end = await fleet.machine(name).claim(task, [], { env: nap });
        assert.equal(end.code, 0, end.stderr);
      }
  };
  await Promise.all(Array.from({ length: size }, (_value, index) => one(`b${index}`)));
  assert(isDone(fleet));
}

function isDone(fleet: Fleet): boolean {
  return doneTasks(fleet).size === tasks;
}

/** `all`: the workers have said of every task that it is done. */
function listenForDone() {
  let done = 0;
  let ring: () => void = () => undefined;
  const all = new Promise<void>((resolve) => (ring = resolve));
  const listen = ({ stderr }: ChildProcess): void => {
    assert(stderr !== null);
    createInterface({ input: stderr }).on("line", (line) => {
      if (!line.includes("→ done  accepted")) return;
      done += 1;
      if (done === tasks) ring();
    });
  };
  return { all, listen };
}

/** In seconds. */
async function timed(work: () => Promise<void>): Promise<number> {
  const begun = performance.now();
  await work();
  return (performance.now() - begun) / 1_000;
}
