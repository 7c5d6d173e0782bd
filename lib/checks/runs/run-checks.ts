import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import type { ContractCheck } from "../../documents/contract.ts";
import { runBounded } from "../../process/bounded.ts";
import type { BoundedEnd, BoundedHow, BoundedSpec } from "../../process/bounded-spec.ts";
import { orderlyGraceMs } from "../../process/grace.ts";
import { childMark, type ProcessMark } from "../../process/mark.ts";
import { endSurvivors, type ProcessIdentity } from "../../process/survivors.ts";
import type { Attribution, CheckFailure, CheckResult, CheckStatus, TestCounts } from "../../rules/check-run.ts";
import { plural } from "../../rules/wording.ts";
import { refuseFullDisk } from "../../store/full-disk.ts";
import { readText } from "../../store/read-file.ts";
import type { Redactor } from "../../text/redact.ts";
import { quoteWord } from "../../text/shell-words.ts";
import { escapeForTerminal, shorten } from "../../text/shorten.ts";
import { readFailure } from "./read-failure.ts";
import { addCounts, nestedReaders, summaryReaders } from "./test-summaries.ts";

export interface CheckSetRequest extends Pick<BoundedSpec, "env" | "redactor" | "mark" | "abort"> {
  readonly validators: readonly ContractCheck[];
  readonly scenarios: readonly ContractCheck[];
  /** Absolute: where each command runs. */
  readonly repo: string;
  /** Absolute; must be there. */
  readonly logFolder: string;
  /** That folder, relative to the task folder. */
  readonly logRelative: string;
  /** The results before the work, by name; null if they are not known. */
  readonly before: ReadonlyMap<string, CheckStatus> | null;
  /** Between TERM and KILL; missing: `orderlyGraceMs`. */
  readonly graceMs?: number;
  /** For each log; 16 MiB. */
  readonly capBytes?: number;
  /** Called with the names of the running checks each time that one starts or ends. */
  readonly running?: (names: readonly string[]) => void;
  /** Run the checks one after the other in the order of the contract; absent: at the same time. */
  readonly inTurn?: boolean;
  /** Gives the command line that runs a check in a sandbox; missing: checks run as they are. */
  readonly wrap?: (argv: readonly string[]) => readonly string[];
}

interface Job {
  readonly spec: ContractCheck;
  readonly kind: CheckResult["kind"];
  readonly log: string;
  readonly mark: ProcessMark;
}

/**
 * Runs the validators at the same time or in turn, then the scenarios so. What a check does is a fact in its result;
 * thrown is only an error of the disk. No process of the set lives when this returns.
 */
export async function runChecks(request: CheckSetRequest) {
  const jobs = planJobs(request);
  const done: Awaited<ReturnType<typeof runJob>>[] = [];
  const running = new Set<Job>();
  const follow = async (job: Job): ReturnType<typeof runJob> => {
    running.add(job);
    reportRunning();
    try {
      return await runJob(job, request);
    } finally {
      running.delete(job);
      reportRunning();
    }
  };
  const reportRunning = (): void => request.running?.([...running].map(({ spec }) => spec.name));
  for (const kind of ["validator", "scenario"] as const) {
    const batch = jobs.filter((job) => job.kind === kind);
    for (const some of request.inTurn ? batch.map((job) => [job]) : [batch]) {
      const settled = await Promise.allSettled(some.map(follow));
      // Only after all of them have ended: a thrown error must leave no check running.
      for (const one of settled) {
        if (one.status === "rejected") throw one.reason;
        done.push(one.value);
      }
      if (request.abort?.aborted) break;
    }
  }
  const stragglers = await endSurvivors(request.mark, [], request.graceMs ?? orderlyGraceMs);
  return {
    /** Validators first, then scenarios, in the order of the contract. */
    results: done.map((one) => one.result),
    /** Processes that the checks left behind or that had to be ended. */
    ended: [...done.flatMap((one) => one.ended), ...stragglers],
    /** The set was cut short, and its results say nothing about the repo. */
    aborted: request.abort?.aborted === true,
  };
}

function planJobs(request: CheckSetRequest): Job[] {
  const all = [
    ...request.validators.map((spec) => ({ spec, kind: "validator" as const })),
    ...request.scenarios.map((spec) => ({ spec, kind: "scenario" as const })),
  ];
  const logs = nameLogs(all.map((job) => job.spec.name));
  // A mark of its own for each: the end of one check must not end the others.
  return all.map((job, index) => ({
    ...job,
    log: logs[index] ?? "",
    mark: childMark(request.mark, `check${index + 1}`),
  }));
}

async function runJob(
  job: Job,
  request: CheckSetRequest,
): Promise<{ result: CheckResult; ended: readonly ProcessIdentity[] }> {
  const { spec } = job;
  const logPath = join(request.logFolder, job.log);
  const capBytes = request.capBytes ?? 16 * 1024 * 1024;
  const heading = `$ ${spec.command.map(quoteWord).join(" ")}\n\n`;
  const end = await runBounded({
    argv: request.wrap?.(spec.command) ?? spec.command,
    cwd: request.repo,
    wrapped: request.wrap !== undefined,
    env: request.env,
    stdin: null,
    timeoutMs: spec.timeoutMs,
    graceMs: request.graceMs ?? orderlyGraceMs,
    stdoutPath: logPath,
    stderrPath: logPath,
    capBytes,
    redactor: request.redactor,
    mark: job.mark,
    abort: request.abort,
    heading,
    closing: (how) => `\n[task-phase: ${renderEnd(how, spec.timeoutMs)}]\n`,
  });
  const output = end.kind === "not_started" ? "" : readOutput(logPath, request.redactor.redact(heading), capBytes);
  const tests = countTests(output);
  const unmet = statusOf(end) === "pass" ? findUnmet(spec, tests, output) : null;
  const status = unmet === null ? statusOf(end) : "fail";
  if (status === "fail") refuseFullDisk(`run ${spec.name} in`, output, [request.repo, request.env.TMPDIR ?? "/tmp"]);
  const excerpt = end.kind === "not_started" ? `not started: ${end.problem}` : end.stdoutTail;
  const result: CheckResult = {
    name: spec.name,
    kind: job.kind,
    required: spec.required,
    command: spec.command.map((word) => request.redactor.redact(word)),
    status,
    exit_code: end.exitCode,
    signal: end.signal,
    duration_ms: end.durationMs,
    attribution: attributeResult(spec.name, status, request.before),
    log: `${request.logRelative}/${job.log}`,
    excerpt: excerptOf(excerpt, request.redactor),
    ...(tests === null ? {} : { tests }),
    ...(unmet === null ? {} : { unmet }),
    ...(status === "fail" ? { failure: plainFailure(readFailure(output), request) } : {}),
  };
  return { result, ended: end.ended };
}

/** Without the folder that the check ran in, so that a test has the same name in each copy. */
function plainFailure({ by, tests, said }: CheckFailure, { repo, redactor }: CheckSetRequest): CheckFailure {
  const plain = (text: string) => escapeForTerminal(redactor.redact(text.replaceAll(`${repo}/`, "")));
  return { by, tests: tests.map(plain), said: said === null ? null : plain(said) };
}

/** The check's own output in the log, without the runner's first and last lines. */
function readOutput(logPath: string, heading: string, capBytes: number): string {
  const text = readText(logPath, capBytes + 1024 * 1024) ?? "";
  return text.slice(heading.length).replace(/\n\[task-phase: [^\n]*\]\n$/, "\n");
}

/** The expectation of the contract that the output of a check with exit code 0 does not meet; null if it meets all. */
function findUnmet({ expect }: ContractCheck, tests: TestCounts | null, output: string): string | null {
  const { minTests, output: text } = expect;
  if (minTests !== null && (tests === null || tests.ran < minTests)) {
    const found = tests === null ? "no count of tests" : `${tests.ran} that ran`;
    return `the brief expects at least ${plural(minTests, "test")}, but its output shows ${found}`;
  }
  if (text === null || stripVTControlCharacters(output).includes(text)) return null;
  return `the brief expects "${shorten(text, 80)}" in its output, but it is not there`;
}

function statusOf(end: BoundedEnd): CheckStatus {
  if (end.kind === "timed_out") return "timeout";
  if (end.kind === "not_started") return "not_started";
  return end.kind === "exited" && end.exitCode === 0 ? "pass" : "fail";
}

function renderEnd(how: BoundedHow, timeoutMs: number): string {
  if (how.kind === "not_started") return `not started: ${how.problem}`;
  if (how.kind === "timed_out") return `ended at its timeout of ${timeoutMs} ms`;
  if (how.kind === "aborted") return "aborted";
  return how.signal === null ? `exit code ${how.exitCode}` : `ended by ${how.signal}`;
}

const longestName = 60;

/** A file name for the log of each check: safe, readable, and no two alike, even if letter case does not count. */
export function nameLogs(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    const slug = slugOf(name);
    let file = `${slug}.log`;
    for (let count = 2; taken.has(file.toLowerCase()); count += 1) file = `${slug}-${count}.log`;
    taken.add(file.toLowerCase());
    return file;
  });
}

function slugOf(name: string): string {
  const slug = name
    .replace(/[^A-Za-z0-9._-]+/g, "-")
    .slice(0, longestName)
    .replace(/^[-.]+|[-.]+$/g, "");
  return slug === "" ? "check" : slug;
}

/**
 * Compares a result with that before the work: `clean` passed then and now, `regressed` passed only then, `fixed`
 * passes only now, `broken_before` never passed. Null if the check has no earlier result.
 */
export function attributeResult(
  name: string,
  status: CheckStatus,
  earlier: ReadonlyMap<string, CheckStatus> | null,
): Attribution | null {
  const before = earlier?.get(name);
  if (before === undefined) return null;
  if (status === "pass") return before === "pass" ? "clean" : "fixed";
  return before === "pass" ? "regressed" : "broken_before";
}

const longestExcerpt = 2_000;

/**
 * The end of an output, at most 2,000 characters and from a line's start if it can be: without colours, redacted, safe
 * to print.
 */
export function excerptOf(output: string, redactor: Redactor): string {
  // Redacted again after the colours are gone: they may have been in the middle of a secret.
  const plain = redactor.redact(stripVTControlCharacters(output.replaceAll("\r\n", "\n")));
  const text = escapeForTerminal(plain.slice(-longestExcerpt * 2)).trim();
  if (text.length <= longestExcerpt) return text;
  const end = text.slice(-longestExcerpt);
  const lineStart = end.indexOf("\n") + 1;
  return lineStart > 0 && lineStart < longestExcerpt / 2
    ? end.slice(lineStart)
    : end.replace(/^[\u{dc00}-\u{dfff}]/u, "");
}

/** A longer line is not a summary; it would only cost time. */
const longestLine = 1_000;

/**
 * How many tests a check ran, by the counts that test runners print themselves: TAP, node:test, node-tap, pytest,
 * unittest, jest, vitest, mocha, uvu, AVA, bun, deno, go test -v, cargo test, Maven, Gradle, JUnit, minitest, RSpec,
 * ExUnit, busted, PHPUnit, dotnet test, swift test, prove, CTest, googletest, Catch2. What several runs print is added up.
 * Null if no such count is in the output: the runner never guesses one.
 */
export function countTests(output: string): TestCounts | null {
  const lines = stripVTControlCharacters(output)
    .split(/\r?\n/)
    .filter((line) => line.length <= longestLine);
  return addCounts([
    ...summaryReaders.map((read) => read(lines)),
    ...nestedReaders.map((readers) => readers.reduce<TestCounts | null>((known, read) => known ?? read(lines), null)),
  ]);
}
