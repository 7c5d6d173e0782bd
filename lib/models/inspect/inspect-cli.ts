import { stripVTControlCharacters } from "node:util";
import type { CliName } from "../../config/adapter-names.ts";
import { namesSecret } from "../../text/secret-values.ts";
import { shorten } from "../../text/shorten.ts";
import { adapters } from "../adapters/adapters.ts";
import { passedOn } from "../run/model-environment.ts";
import { tellingLine } from "../run/telling-line.ts";
import { type Answer, type Asking, askProgram } from "./ask-program.ts";
import { explainUnusable, findProgram } from "./discover.ts";
import { readVersion } from "./versions.ts";

/** What can be known of an agent CLI without a call that costs anything. */
export interface CliFacts {
  readonly name: CliName;
  /** Absolute; null if PATH does not lead to it. */
  readonly path: string | null;
  /** Null if it did not say one. */
  readonly version: string | null;
  /** Its words for the version, as one safe line; null if it did not say anything. */
  readonly versionText: string | null;
  /** Whether it said its version and ended well; null if it is not there or was not asked to the end. */
  readonly callable: boolean | null;
  /** Why it is not callable; null if it is, and if nothing of its name is on PATH. */
  readonly problem: string | null;
  /** It did not say its version in time, which also happens on a busy machine. */
  readonly timedOut: boolean;
  readonly login: "yes" | "no" | "unknown";
}

export interface InspectCli {
  readonly env: Readonly<NodeJS.ProcessEnv>;
  /** Names of the variables that its model passes on. */
  readonly variables: readonly string[];
  readonly timeoutMs: number;
}

/** Asks a CLI for its version, then whether someone is logged in, as a pass would call it. */
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

/** What the CLI itself says. A key is a login that some do not count, so with one their no tells nothing. */
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

/** What the answer to `--version` says of a program. */
export function readVersionAnswer(answer: Answer, timeoutMs: number): VersionAnswer {
  const nothing = { version: null, versionText: null, timedOut: false };
  switch (answer.kind) {
    case "aborted":
      return { ...nothing, callable: null, problem: null };
    case "timed_out":
      return {
        ...nothing,
        callable: false,
        problem: `--version did not end within ${timeoutMs / 1_000} s`,
        timedOut: true,
      };
    case "not_started":
      return { ...nothing, callable: false, problem: answer.problem };
    case "exited": {
      if (answer.exitCode !== 0) return { ...nothing, callable: false, problem: describeFailure(answer) };
      const line = versionLine(wordsOf(answer));
      return {
        version: line === null ? null : readVersion(line),
        versionText: line === null ? null : shorten(line, 80),
        callable: true,
        problem: null,
        timedOut: false,
      };
    }
  }
}

/** Standard output; some print their answer on standard error alone. Without colours. */
function wordsOf({ stdout, stderr }: { readonly stdout: string; readonly stderr: string }): string {
  return stripVTControlCharacters(stdout.trim() === "" ? stderr : stdout);
}

/** The first line that contains a version, else the first that holds anything. */
function versionLine(text: string): string | null {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const line = lines.find((one) => readVersion(one) !== null) ?? lines[0];
  return line === undefined ? null : line.trim();
}

/** How a program failed, with the line of its output that most likely says why. */
export function describeFailure({ exitCode, stdout, stderr }: Extract<Answer, { kind: "exited" }>): string {
  const how = exitCode === null ? "it was killed by a signal" : `it ended with exit code ${exitCode}`;
  const why = tellingLine(stderr) ?? tellingLine(stdout);
  return why === null ? how : `${how}: ${shorten(why, 160)}`;
}
