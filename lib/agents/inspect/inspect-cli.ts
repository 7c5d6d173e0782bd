import { stripVTControlCharacters } from "node:util";
import type { CliName } from "../../documents/config/adapter-names.ts";
import { trialArgv } from "../../process/bwrap.ts";
import { namesSecret } from "../../text/secret-values.ts";
import { shorten } from "../../text/shorten.ts";
import { tellingLine } from "../../text/telling-line.ts";
import { adapters } from "../adapters/adapters.ts";
import { passedOn } from "../run/model-environment.ts";
import { type Answer, type Asking, askProgram } from "./ask-program.ts";
import { explainUnusable, findProgram } from "./discover.ts";
import { readVersion } from "./versions.ts";

/** Known of an agent CLI without a charge. */
export interface CliFacts {
  readonly name: CliName;
  readonly path: string | null;
  readonly version: string | null;
  /** One safe line. */
  readonly versionText: string | null;
  /** Whether it printed its version and exited well; null if absent or interrupted. */
  readonly callable: boolean | null;
  readonly problem: string | null;
  /** May also happen on a busy machine. */
  readonly timedOut: boolean;
  readonly login: "yes" | "no" | "unknown";
}

interface InspectCli {
  readonly env: Readonly<NodeJS.ProcessEnv>;
  readonly variables: readonly string[];
  readonly timeoutMs: number;
}

/** Asks for its version, then its login, as a pass would call it. */
export async function inspectCli(name: CliName, asking: Asking, request: InspectCli): Promise<CliFacts> {
  const adapter = adapters[name];
  const path = findProgram(adapter.program, request.env.PATH ?? "");
  const unknown = {
    ...{ version: null, versionText: null, callable: null, problem: null, timedOut: false },
    login: "unknown" as const,
  };
  if (path === null) {
    return { name, path, ...unknown, problem: explainUnusable(adapter.program, request.env.PATH ?? "") };
  }
  const answer = await askProgram(asking, {
    argv: [path, "--version"],
    env: { ...passedOn(request.env, request.variables), ...adapter.env },
    timeoutMs: request.timeoutMs,
  });
  const said = readVersionAnswer(answer, request.timeoutMs);
  if (said.callable !== true) return { name, path, ...unknown, ...said };
  return { name, path, ...said, login: await askLogin(name, asking, request) };
}

/** Some do not count a key as a login: with one, their "no" means nothing. */
export async function askLogin(name: CliName, asking: Asking, request: InspectCli): Promise<CliFacts["login"]> {
  const { login, program, env } = adapters[name];
  if (login === null) return "unknown";
  const answer = await askProgram(asking, {
    argv: [program, ...login.argv],
    env: { ...passedOn(request.env, request.variables), ...env },
    timeoutMs: request.timeoutMs,
  });
  if (answer.kind !== "exited") return "unknown";
  const loggedIn = login.loggedIn({ exitCode: answer.exitCode, stdout: wordsOf(answer) });
  const hasKey = request.variables.some((variable) => namesSecret(variable) && (request.env[variable] ?? "") !== "");
  return loggedIn === null || (!loggedIn && hasKey) ? "unknown" : loggedIn ? "yes" : "no";
}

type VersionAnswer = Pick<CliFacts, "version" | "versionText" | "callable" | "problem" | "timedOut">;

function readVersionAnswer(answer: Answer, timeoutMs: number): VersionAnswer {
  const { usable: callable, problem } = judgeAnswer(answer, "--version", timeoutMs);
  const line = answer.kind === "exited" && answer.exitCode === 0 ? versionLine(wordsOf(answer)) : null;
  return {
    version: line === null ? null : readVersion(line),
    versionText: line === null ? null : shorten(line, 80),
    callable,
    problem,
    timedOut: answer.kind === "timed_out",
  };
}

/** Whether a call did its job; null if it was interrupted. `what`: as the problem names it. */
function judgeAnswer(answer: Answer, what: string, timeoutMs: number): Pick<ToolFacts, "usable" | "problem"> {
  switch (answer.kind) {
    case "aborted":
      return { usable: null, problem: null };
    case "timed_out":
      return { usable: false, problem: `${what} did not end within ${timeoutMs / 1_000} s` };
    case "not_started":
      return { usable: false, problem: answer.problem };
    case "exited":
      return answer.exitCode === 0
        ? { usable: true, problem: null }
        : { usable: false, problem: renderFailure(answer) };
  }
}

/** Some print their answer on standard error alone. Without colours. */
function wordsOf({ stdout, stderr }: { readonly stdout: string; readonly stderr: string }): string {
  return stripVTControlCharacters(stdout.trim() === "" ? stderr : stdout);
}

function versionLine(text: string): string | null {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const line = lines.find((one) => readVersion(one) !== null) ?? lines[0];
  return line === undefined ? null : line.trim();
}

function renderFailure({ exitCode, stdout, stderr }: Extract<Answer, { kind: "exited" }>): string {
  const how = exitCode === null ? "it was killed by a signal" : `it ended with exit code ${exitCode}`;
  const why = tellingLine(stderr) ?? tellingLine(stdout);
  return why === null ? how : `${how}: ${shorten(why, 160)}`;
}

export interface ToolFacts extends Pick<CliFacts, "path" | "version" | "problem"> {
  /** Whether it did its job; null if absent or interrupted. */
  readonly usable: boolean | null;
}

const versionTimeoutMs = 15_000;
/** A namespace is made at once or not at all. */
const sandboxTimeoutMs = 5_000;

/**
 * Really starts bwrap as a pass does: where users may not make namespaces, it prints its version and can do nothing.
 */
export async function inspectBwrap(
  asking: Asking,
  env: Readonly<NodeJS.ProcessEnv>,
  timeoutMs: number = sandboxTimeoutMs,
): Promise<ToolFacts> {
  const found = await inspectTool("bwrap", asking, env);
  if (found.path === null || found.usable !== true) return found;
  const answer = await askProgram(asking, { argv: trialArgv(found.path), env: passedOn(env, []), timeoutMs });
  return { ...found, ...judgeAnswer(answer, "it", timeoutMs) };
}

export async function inspectTool(
  program: string,
  asking: Asking,
  env: Readonly<NodeJS.ProcessEnv>,
): Promise<ToolFacts> {
  const path = findProgram(program, env.PATH ?? "");
  if (path === null) return { path, version: null, usable: null, problem: null };
  const answer = await askProgram(asking, {
    argv: [path, "--version"],
    env: passedOn(env, []),
    timeoutMs: versionTimeoutMs,
  });
  const { version, callable, problem } = readVersionAnswer(answer, versionTimeoutMs);
  return { path, version, usable: callable, problem };
}
