import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";
import type { Tamper } from "../../../lib/rules/facts.ts";
import { compareAndRestore, type Guard } from "../../../lib/task/guard/guard.ts";
import { guardedPaths, listOtherTasks } from "../../../lib/task/guarded-paths.ts";
import { guardedTrees } from "../../../lib/task/guarded-trees.ts";
import { type Anchor, clearStaging, openAnchor } from "../../../lib/task/records/anchor.ts";
import type { CurrentPass } from "../../../lib/task/records/anchor-shapes.ts";
import { currentShape } from "../../../lib/task/records/anchor-shapes.ts";
import type { PassPorts } from "../../../lib/task/records/ports.ts";
import { placeOf, type TaskPlace } from "../../../lib/task/records/task-place.ts";
import { portsOf } from "../../cli/task-world.ts";
import { makeFolder } from "../../process/arrange.ts";
import { sampleOf, type Walked } from "../../rules/shapes/sample-value.ts";

/** A tasks root with two tasks, a repo beside it, and the anchor of a pass of T-1 that has just begun. */
export interface GuardedTask {
  readonly folder: string;
  readonly place: TaskPlace;
  readonly other: TaskPlace;
  readonly repo: string;
  readonly anchor: Anchor;
  readonly ports: PassPorts;
  /** Names are relative to the folder. */
  put(name: string, text: string): void;
  read(name: string): string | null;
  remove(name: string): void;
  begin(more?: Partial<CurrentPass>): Guard;
  /** The runner's own copy of a file of the task is another one from now on. */
  spoilCopy(guard: Guard, path: string): void;
}

const bytes: Readonly<Record<string, string>> = {
  "tasks/T-1/README.md": "the brief\n",
  "tasks/T-1/STATE.md": "the state\n",
  "tasks/T-1/TASKS.md": "- [ ] one\n- [ ] two\n",
  "tasks/T-1/EVIDENCE.md": "mine\n",
  "tasks/T-1/log.txt": "a line\n",
  "tasks/T-1/artifacts/journal.jsonl": "{}\n",
  "tasks/T-2/README.md": "another brief\n",
  "tasks/T-2/STATE.md": "another state\n",
  "tasks/BOARD.md": "the board\n",
  "tasks/task-phase.yaml": "models: []\n",
  "tasks/.task-phase/cooldowns.json": "{}\n",
  "repo/.git/HEAD": "ref: refs/heads/main\n",
  "repo/src/main.js": "1\n",
};

export function guardTask(t: TestContext): GuardedTask {
  const folder = realpathSync(makeFolder(t));
  const path = (name: string) => join(folder, name);
  const put = (name: string, text: string) => {
    mkdirSync(dirname(path(name)), { recursive: true });
    writeFileSync(path(name), text);
  };
  for (const [name, text] of Object.entries(bytes)) put(name, text);
  const ports = portsOf({ env: { HOME: path("home"), XDG_STATE_HOME: path("state") }, folder });
  const place = placeOf(path("tasks/T-1"));
  const repo = path("repo");
  const anchor = openAnchor(place, ports);
  return {
    folder,
    place,
    other: placeOf(path("tasks/T-2")),
    repo,
    anchor,
    ports,
    put,
    read: (name) => (existsSync(path(name)) ? readFileSync(path(name), "utf8") : null),
    remove: (name) => rmSync(path(name), { recursive: true }),
    spoilCopy({ current }, file) {
      const [pack = "", offset] = (current.manifest.entries[file]?.at ?? "").split(":");
      const [root = ""] = readdirSync(path("state/task-phase/trees"));
      const descriptor = openSync(path(`state/task-phase/trees/${root}/${pack}`), "r+");
      writeSync(descriptor, "!", Number(offset));
      closeSync(descriptor);
    },
    begin(more = {}) {
      clearStaging(anchor);
      const others = listOtherTasks(place);
      const config = [path("tasks/task-phase.yaml")];
      const paths = guardedPaths(place, config, repo);
      const sample = sampleOf(currentShape as Walked) as CurrentPass;
      const current: CurrentPass = {
        ...sample,
        ...{ step: "exec", repo, config_paths: config, had_git: true, protected_globs: [] },
        ...anchor.trees.record({
          task: place.taskDir,
          roots: paths.roots,
          options: paths,
          trees: guardedTrees(place, others, ports),
        }),
        ...more,
      };
      return { place, anchor, current, ports, pins: { repo, globs: [], digests: {}, entries: {} } };
    },
  };
}

/** What a comparison found, one line a path. */
export function told(guard: Guard, by: Tamper["by"] = "model"): string[] {
  const { tampering, putBack, allowed } = compareAndRestore(guard, by);
  const line = (kind: string) => (tamper: Tamper) =>
    [
      kind,
      ...[tamper.path, tamper.change, tamper.guard, tamper.by],
      ...(tamper.restored === false ? ["not restored"] : []),
      ...(tamper.detail === null ? [] : [tamper.detail]),
    ].join("|");
  return [
    ...tampering.map(line("tampering")),
    ...putBack.map(line("put back")),
    ...allowed.map((name) => `allowed|${name}`),
  ];
}
