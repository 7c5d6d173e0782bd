import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { recoverTask } from "../../../lib/pass/recovery/recover.ts";
import type { Phase } from "../../../lib/rules/phases.ts";
import { lockTask } from "../../../lib/task/locks.ts";
import { type Anchor, openAnchor } from "../../../lib/task/records/anchor.ts";
import type { PassPorts } from "../../../lib/task/records/ports.ts";
import { placeOf, type TaskPlace } from "../../../lib/task/records/task-place.ts";
import type { Finding } from "../../../lib/text/finding.ts";
import { createRedactor } from "../../../lib/text/redact.ts";
import { at, eventsAt } from "../../cli/task-states.ts";
import { makeTaskWorld, type TaskCase, type TaskSpec } from "../../cli/task-world.ts";
import { watchDisk } from "../../store/recorded-disk.ts";

/** A task whose runner can be stopped by a power cut, and what the next start finds and does. */
export interface CutTask extends TaskCase {
  readonly place: TaskPlace;
  readonly anchor: Anchor;
  readonly ports: PassPorts;
  /** Does a pass. From the nth call of the disk that matches on, nothing reaches the disk any more. */
  cutOff(call: Pick<RegExp, "test">, nth?: number): Promise<void>;
  recover(): Promise<readonly Finding[]>;
  /** All files below a folder of the task, each with its name from there. */
  list(folder: string): readonly string[];
}

export async function makeCutTask(t: TestContext, phase: Phase, spec: Partial<TaskSpec> = {}): Promise<CutTask> {
  const world = makeTaskWorld(t);
  const events: TaskSpec["events"] = (place) => eventsAt(phase, place);
  const task = await world.makeTask("one", { state: { phase }, events, ...spec });
  const ports: PassPorts = {
    env: world.env,
    home: world.path("home"),
    cwd: world.folder,
    now: () => new Date(at),
    redactor: createRedactor(world.env),
    signal: new AbortController().signal,
    tell: () => undefined,
  };
  const place = placeOf(task.taskDir);
  const anchor = openAnchor(place, ports);
  return {
    ...task,
    place,
    anchor,
    ports,
    async cutOff(call, nth = 1) {
      let left = nth;
      const disk = watchDisk(world.folder, (made) => {
        if (left > 0 && call.test(made)) left -= 1;
        if (left === 0) throw Object.assign(new Error("the power is off"), { code: "EIO" });
      });
      try {
        await task.run("--json");
      } finally {
        disk.restore();
      }
      if (left > 0) throw new Error(`the pass made no such call as ${call}`);
    },
    async recover() {
      const locks = lockTask(place, ports);
      try {
        return await recoverTask(place, anchor, ports, locks);
      } finally {
        locks.release();
      }
    },
    list: (folder) => listFiles(join(task.taskDir, folder)),
  };
}

function listFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}
