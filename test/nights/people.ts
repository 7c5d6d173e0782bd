import { appendFileSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Night } from "../simulation/make-night.ts";
import type { NightPeople } from "../simulation/run-night.ts";
import { chanceOf } from "../simulation/seeded.ts";
import type { StartCommand } from "../simulation/start-command.ts";

/** What they do is a pure function of the seed, the night and the moments at which they come. */
export interface People extends NightPeople {
  /** Tasks that somebody touched: how they end is no longer what the plan says. */
  readonly touched: ReadonlySet<string>;
  /** What they wrote and is nowhere any more, and commands that ended as no command may. */
  judge(): string[];
}

/** Ends of a command that a person calls at any moment, by the exit codes of the manual. */
const expected: Readonly<Record<string, readonly (number | null)[]>> = {
  answer: [0, 20, 64, 65, 75, 78],
  resume: [0, 20, 22, 64, 65, 75, 78],
  cancel: [0, 65, 75],
  status: [0, 20, 22, 65],
  evidence: [0, 64, 65, 75],
};

/** `most`: acts of the whole night. */
export function openPeople(
  night: Night,
  start: StartCommand,
  seed: number,
  most: number,
  tell?: (line: string) => void,
): People {
  const chance = chanceOf(seed, "people");
  const touched = new Set<string>();
  const paused = new Set<string>();
  const cancelled = new Set<string>();
  const problems: string[] = [];
  /** By task: words that must be somewhere in its folder or among the runner's records of it. */
  const words: { readonly task: string; readonly text: string }[] = [];
  const files = new Map<string, string>();
  let left = most;

  const call = async (name: string, task: string, ...flags: readonly string[]): Promise<number | null> => {
    const { code, json, stderr } = await start([name, "--task-dir", night.taskPath(task), ...flags]).end;
    if (expected[name]?.includes(code) !== true)
      problems.push(`${task}: ${name} ended with ${code}: ${JSON.stringify(json?.findings)} ${stderr.slice(-300)}`);
    return code;
  };
  const wordsFor = (task: string): string => {
    const text = `words ${words.length + 1} of a person`;
    words.push({ task, text });
    return text;
  };
  const edit = (task: string, name: string, change: (text: string) => string): boolean => {
    const file = night.taskPath(task, name);
    if (!existsSync(file)) return false;
    const before = readFileSync(file, "utf8");
    const after = change(before);
    // As an editor saves: the whole file.
    if (after !== before) writeFileSync(file, after);
    return after !== before;
  };
  const isAtWork = (task: string): boolean => {
    const journal = night.taskPath(task, "artifacts", "journal.jsonl");
    const text = existsSync(journal) ? readFileSync(journal, "utf8") : "";
    return text.lastIndexOf('"type":"pass_started"') > text.lastIndexOf('"type":"verdict"');
  };
  const acts: Readonly<Record<string, (task: string) => unknown>> = {
    "answers a question": (task) => call("answer", task, "Q1", "UTF-8"),
    "lets it continue": async (task) => {
      const text = wordsFor(task);
      // What is refused is kept by nobody.
      if ((await call("resume", task, "--to", "implement", "--reason", text)) !== 0)
        words.splice(
          words.findIndex((one) => one.text === text),
          1,
          { task, text: "" },
        );
    },
    "ends what runs": (task) => {
      cancelled.add(task);
      return call("cancel", task, "--timeout", "1s");
    },
    "looks at it": (task) => call("status", task),
    "has the pages written": (task) => call("evidence", task),
    "writes a note": (task) => {
      const text = wordsFor(task);
      edit(task, "STATE.md", (state) => state.replace(/^## Notes\n/m, (line) => `${line}\n${text}\n`));
    },
    "moves the phase": (task) => {
      const to = chance.pick(["shape", "implement", "verify", "done", "blocked"]);
      edit(task, "STATE.md", (state) => state.replace(/^- Phase: \w+$/m, `- Phase: ${to}`));
    },
    "adds to the brief": (task) => {
      const text = wordsFor(task);
      edit(task, "README.md", (brief) => `${brief.trimEnd()}\n\nAlso: ${text}.\n`);
    },
    "puts a file beside": (task) => {
      const file = night.taskPath(task, `note-${files.size}.md`);
      files.set(file, `note ${files.size}\n`);
      writeFileSync(file, files.get(file) ?? "");
    },
    "changes the repo": (task) => {
      const { repo } = night.plan.tasks.find(({ id }) => id === task) ?? { repo: task };
      const file = night.path("repos", repo, `person-${files.size}.txt`);
      files.set(file, `a person's work ${files.size}\n`);
      writeFileSync(file, files.get(file) ?? "");
    },
    pauses: (task) => {
      paused.add(task);
      appendFileSync(night.taskPath(task, "CONTROL.md"), "\n- PAUSE for a while\n");
    },
    retries: (task) => appendFileSync(night.taskPath(task, "CONTROL.md"), "\nretry\n"),
    skips: (task) => appendFileSync(night.taskPath(task, "CONTROL.md"), "\n- SKIP this one\n"),
    aborts: (task) => {
      cancelled.add(task);
      appendFileSync(night.taskPath(task, "CONTROL.md"), "\n- ABORT now\n");
    },
  };
  const names = Object.keys(acts);
  const act = async (): Promise<void> => {
    left -= 1;
    const task = chance.pick(night.plan.tasks).id;
    touched.add(task);
    // A pass is blamed for what changes in other task folders meanwhile.
    for (const { id } of night.plan.tasks.filter((one) => isAtWork(one.id))) touched.add(id);
    const name = chance.pick(names);
    tell?.(`a person ${name}: ${task}`);
    await acts[name]?.(task);
  };
  /** Nobody pauses for ever, or means the end of a task by ending what ran. */
  const goOn = (): boolean => {
    const any = paused.size + cancelled.size > 0;
    for (const task of cancelled) appendFileSync(night.taskPath(task, "CONTROL.md"), "\nRETRY\n");
    cancelled.clear();
    for (const task of paused) {
      const file = night.taskPath(task, "CONTROL.md");
      if (existsSync(file)) writeFileSync(file, readFileSync(file, "utf8").replaceAll(/^- (?:\[.\] )?PAUSE.*\n/gm, ""));
    }
    paused.clear();
    return any;
  };
  return {
    touched,
    between: async (isIdle) => {
      if (left > 0 && (isIdle || chance.happens(0.7))) {
        await act();
        return true;
      }
      return isIdle && goOn();
    },
    beside: async (loop) => {
      while (left > 0 && !loop.hasEnded() && chance.happens(0.6)) {
        await loop.reaches(chance.between(1, 40));
        if (!loop.hasEnded()) await act();
      }
    },
    judge: () => [
      ...problems,
      ...words.filter(({ text }) => !isKept(night, text)).map(({ task, text }) => `${task}: "${text}" is lost`),
      ...[...files]
        .filter(([file, text]) => !(existsSync(file) && readFileSync(file, "utf8") === text) && !isKept(night, text))
        .map(([file]) => `${path.relative(night.folder, file)} is lost`),
    ],
  };
}

/**
 * In any file of the tasks or of the runner's records: what somebody writes during a pass where the agent must not write
 * is put back, and kept with the pass.
 */
function isKept(night: Night, text: string): boolean {
  return [night.tasksRoot, night.path("state")].some((folder) =>
    (readdirSync(folder, { recursive: true }) as string[])
      .map((name) => path.join(folder, name))
      .some(
        (file) => statSync(file, { throwIfNoEntry: false })?.isFile() === true && readFileSync(file).includes(text),
      ),
  );
}
