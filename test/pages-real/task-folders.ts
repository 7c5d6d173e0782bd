import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { TaskEvent } from "../../lib/rules/events.ts";
import { journalFile } from "../cli/task-world.ts";
import { bigTask } from "./big-task.ts";
import { hostileFolder } from "./hostile-folder.ts";
import { oneLineTask } from "./one-line-task.ts";
import { repairingTask } from "./repairing-task.ts";
import type { TaskFolder } from "./task-folder.ts";

/** Writes the arranged tasks, and one empty repo for all of them. Returns their names. */
export function writeTaskFolders(root: string): string[] {
  mkdirSync(path.join(root, "app"), { recursive: true });
  return [repairingTask(), hostileFolder(), bigTask(), oneLineTask()].map((task) => {
    writeTask(path.join(root, "tasks", task.name), task);
    return task.name;
  });
}

function writeTask(folder: string, { name, title, dependsOn = [], events, files }: TaskFolder): void {
  const front = [`id: ${name}`, `title: ${JSON.stringify(title)}`, "repo: ../../app", "user_facing: true"];
  const brief = `---\n${front.join("\n")}\ndepends_on: ${JSON.stringify(dependsOn)}\n---\n\n# ${name}\n\nArranged.\n`;
  write(folder, "README.md", brief);
  write(folder, "STATE.md", events.flatMap((event) => ("state" in event ? [event.state] : [])).at(-1) ?? "");
  write(folder, "artifacts/journal.jsonl", journalFile(events));
  for (const [file, content] of [...filesOf(events), ...files]) write(folder, file, content);
}

/** What a runner would have kept beside the journal. */
function filesOf(events: readonly TaskEvent[]): (readonly [string, string])[] {
  const passes = events.flatMap((event) => ("pass" in event ? [event.pass] : []));
  const logs = events.flatMap((event) => {
    const results = event.type === "before" ? event.results : event.type === "verdict" ? event.checks?.results : [];
    return (results ?? []).map(({ log, excerpt }) => [log, excerpt] as const);
  });
  const reviews = events.flatMap((event) =>
    event.type === "reviewed"
      ? [[`${passFolder(event.pass)}/reviews/${event.role}.md`, `# ${event.role}\n`] as const]
      : [],
  );
  const named = [...logs, ...reviews].filter(([log]) => isPlain(log));
  return [
    ...passes.map((pass) => [`${passFolder(pass)}/pass.json`, "{}\n"] as const),
    // A name cannot be both a file and the folder of another one.
    ...named.filter(([log]) => !named.some(([other]) => other.startsWith(`${log}/`))),
  ];
}

function passFolder(pass: number): string {
  return `artifacts/passes/${String(pass).padStart(4, "0")}`;
}

/** A path that a file can have. */
function isPlain(log: string): boolean {
  const parts = log.split("/");
  return !/[\0]/.test(log) && parts.every((part) => !["", ".", ".."].includes(part) && Buffer.byteLength(part) < 255);
}

function write(folder: string, file: string | Buffer, content: string | Buffer): void {
  const whole = Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(file)]);
  mkdirSync(whole.subarray(0, whole.lastIndexOf("/")), { recursive: true });
  writeFileSync(whole, content);
}
