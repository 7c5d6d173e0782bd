import assert from "node:assert/strict";
import path from "node:path";
import { before, describe, test } from "node:test";
import { type ExitName, exitCodes } from "../../lib/text/exit-codes.ts";
import type { Finding } from "../../lib/text/finding.ts";
import type { openTexts } from "../texts.ts";
import {
  type BadWorld,
  type CallEnd,
  type CallName,
  callNames,
  type Drivers,
  differences,
  isLockDebris,
  makeTemplates,
  readTree,
  showEnd,
  startDrivers,
  type WorldMaker,
  wordsOf,
} from "./bad-input-world.ts";

/** `65 TP_STATE_NO_FIELDS repo/tasks/T-1/STATE.md:1:1`: exit code, code and place of the first error; or the exit code alone. */
export type Expected = Partial<Record<CallName, string>>;

export interface BadInput {
  readonly name: string;
  /** Spoils a good world. */
  spoil?(world: BadWorld): void;
  /** With a journal: the task has had one pass. */
  readonly adopted?: boolean;
  readonly env?: (world: BadWorld) => Readonly<Record<string, string | undefined>>;
  readonly more?: readonly string[];
  /** In place of resume's own flags. */
  readonly resume?: readonly string[];
  readonly taskDir?: (world: BadWorld) => string;
  readonly tasksRoot?: (world: BadWorld) => string;
  readonly expect: Expected;
  /** Paths that a call may change beside the lock files, where the bad input is met later than that. */
  readonly writes?: Partial<Record<CallName, RegExp>>;
}

/** The same for every call but those that are named; null: not called. */
export function everywhere(expected: string, but: Readonly<Partial<Record<CallName, string | null>>> = {}): Expected {
  const all = { ...Object.fromEntries(callNames.map((name) => [name, expected])), ...but };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null)) as Expected;
}

/** The same for these calls alone. */
export function only(names: readonly CallName[], expected: string): Expected {
  return Object.fromEntries(names.map((name) => [name, expected]));
}

interface Place {
  readonly drivers: Drivers;
  readonly maker: WorldMaker;
}

let place: Promise<Place> | null = null;

/** For all tables of this process: each driver loads the whole program, which takes as long as forty calls. */
async function startPlace(): Promise<Place> {
  const drivers = startDrivers();
  const maker = await makeTemplates(drivers);
  process.once("exit", () => maker.remove());
  return { drivers, maker };
}

/**
 * One test for each bad input: every call is made, in a world of its own where it may write. `expectText` has the first error
 * of each call.
 */
export function testTable(expectText: ReturnType<typeof openTexts>, title: string, inputs: readonly BadInput[]): void {
  let drivers: Drivers;
  let maker: WorldMaker;
  describe(title, { concurrency: 2 }, () => {
    before(async () => {
      place ??= startPlace();
      ({ drivers, maker } = await place);
    });
    for (const input of inputs) test(input.name, () => testOne(input));
  });

  async function testOne(input: BadInput): Promise<void> {
    const names = callNames.filter((name) => input.expect[name] !== undefined);
    const world = maker.make(input.adopted === true ? "adopted" : "fresh");
    input.spoil?.(world);
    const found: Expected = {};
    const problems: string[] = [];
    const texts = new Set<string>();
    let was = readTree(world.folder);
    for (const name of names) {
      const { line, said, text, tree } = await callOnce(input, name, world, was);
      found[name] = line;
      problems.push(...said);
      if (text !== null) texts.add(text);
      was = tree;
    }
    assert.deepEqual(withoutPlaces(found, input.expect), input.expect);
    assert.deepEqual(problems, []);
    if (texts.size > 0) expectText(`${title}: ${input.name}`, [...texts]);
  }

  /** `was` is the world as the call before left it, and `tree` as this one does. */
  async function callOnce(input: BadInput, name: CallName, world: BadWorld, was: ReadonlyMap<string, string>) {
    const taskDir = input.taskDir?.(world) ?? world.task;
    const tasksRoot = input.tasksRoot?.(world) ?? path.dirname(world.task);
    const asked =
      input.resume === undefined
        ? wordsOf(name, taskDir, tasksRoot)
        : ["resume", "--task-dir", taskDir, ...input.resume];
    const argv = [...asked, ...(input.more ?? []), "--json"];
    const changed = Object.entries({ ...world.env, ...input.env?.(world) }).filter(([, value]) => value !== undefined);
    const end = await drivers.call({
      argv,
      cwd: world.folder,
      env: Object.fromEntries(changed) as Record<string, string>,
    });
    const said = judgeEnd(end, name);
    const allowed = (file: string) => isLockDebris(file) && /^(run|evidence|resume)/.test(name);
    // A run that is refused says so where the task is.
    const tells = (file: string) =>
      /^run/.test(name) &&
      [24, 78].includes(end.code) &&
      /\/T-1\/(log\.txt|last_error\.txt|STATE\.md|EVIDENCE\.md|artifacts\/evidence\.html)$/.test(file);
    const tree = readTree(world.folder);
    const wrote = differences(was, tree).filter(
      (file) => !allowed(file) && !tells(file) && !isList(file) && input.writes?.[name]?.test(file) !== true,
    );
    if (wrote.length > 0) said.push(`${name} wrote ${wrote.slice(0, 8).join(", ")}`);
    return { line: showEnd(end, world), said, text: textOf(end, world), tree };
  }
}

/** What was read of the tasks, kept for the next list of them; who deletes it loses time alone. */
function isList(file: string): boolean {
  return file.startsWith("state/task-phase/lists");
}

/** Where only exit and code are expected, the place is free. */
function withoutPlaces(found: Expected, expected: Expected): Expected {
  const cut = ([name, line]: [string, string]) => {
    const words = expected[name as CallName]?.split(" ").length ?? 0;
    return [name, words === 2 ? line.split(" ").slice(0, 2).join(" ") : line];
  };
  return Object.fromEntries(Object.entries(found).map(cut)) as Expected;
}

const shared = ["exit_code", "exit_name", "findings"] as const;

/** What holds for every end, whatever was wrong. */
function judgeEnd(end: CallEnd, name: CallName): string[] {
  const problems: string[] = [];
  const add = (holds: boolean, problem: string) => {
    if (!holds) problems.push(`${name}: ${problem}`);
  };
  add(/^[^\n]+\n$/.test(end.stdout), `stdout is not one line: ${end.stdout.slice(0, 200)}`);
  const json = JSON.parse(end.stdout) as { exit_code: number; exit_name: ExitName; findings: Finding[] };
  for (const key of shared) add(key in json, `no ${key} in the JSON object`);
  add(
    json.exit_code === end.code && exitCodes[json.exit_name] === end.code,
    `exit ${end.code}, and JSON says ${json.exit_code}`,
  );
  add(!/^\s+at .*[:(]/m.test(end.stderr), `a stack trace: ${end.stderr.slice(0, 300)}`);
  add(!/undefined|\[object|NaN/.test(end.stderr), `a word of the program: ${end.stderr.slice(0, 300)}`);
  add(!/TP_UNEXPECTED/.test(end.stderr), `an unexpected failure: ${end.stderr.slice(0, 300)}`);
  for (const finding of json.findings) {
    add(/^TP_[A-Z_]+$/.test(finding.code), `the code ${finding.code}`);
    add(finding.message !== "" && !finding.message.endsWith("\n"), `the message ${JSON.stringify(finding.message)}`);
    add(finding.message.length < 600, `a message of ${finding.message.length} characters`);
    add(finding.severity !== "error" || finding.fix !== null, `no fix for: ${finding.message}`);
    add(end.stderr.includes(`[${finding.code}]`), `${finding.code} is not on stderr`);
    add(finding.line === null || finding.file !== null, `a line without a file: ${finding.message}`);
  }
  return problems;
}

/** Message and fix of the first error, with a word for what differs by machine. */
function textOf({ stdout }: CallEnd, world: BadWorld): string | null {
  const error = (JSON.parse(stdout) as { findings: Finding[] }).findings.find((one) => one.severity === "error");
  if (error === undefined) return null;
  const text = `${error.message}\n  fix: ${error.fix}`.replaceAll(world.folder, "WORLD");
  return text.replaceAll("x".repeat(300), "LONG").replaceAll(/[0-9a-f]{32,}/g, "HEX");
}
