import { mkdirSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, extname, join, resolve, sep } from "node:path";
import type { BoundedEnd } from "../../process/bounded-spec.ts";
import { findBwrap, isUnder, type Mount, sandboxArgv, setupProblem, temporaryFolder } from "../../process/bwrap.ts";
import { findExecutable } from "../../process/find-executable.ts";
import { makeFolder, realOr, realOrNull } from "../../store/folder.ts";
import type { SandboxRules } from "../../task/guard/sandbox-rules.ts";
import { orElse } from "../../text/attempt.ts";
import type { CliAdapter } from "../adapters/adapter.ts";
import { modelEnvironment } from "./model-environment.ts";
import type { ModelRun } from "./model-run.ts";

/**
 * The command line in its sandbox, if it has one. `adapter` is null for a command. Beside the rules' paths, writable
 * are its work folder, a temporary folder, and the CLI's own paths.
 */
export function sandboxedArgv(argv: readonly string[], run: ModelRun, adapter: CliAdapter | null): readonly string[] {
  if (run.sandbox === null) return argv;
  const env = { ...adapter?.env, ...modelEnvironment(run, "") };
  const temporary = join(run.workFolder, "tmp");
  makeFolder(temporary, 0o700);
  const mounts = listMounts(run.sandbox, run, adapter, env);
  const writable = writableOf(mounts);
  const seen = namedInTemporary(argv, env, run).filter((path) => !writable.includes(path));
  return sandboxArgv({
    // A missing program shows at the start.
    bwrap: findBwrap(run.env.PATH ?? "", writable) ?? "bwrap",
    mounts: [...seen.map((path) => ({ kind: "read_only", path }) as const), ...mounts],
    temporary,
    cwd: realpathSync(run.repo),
    argv,
  });
}

/** Real paths, none within another. Empty without a sandbox. */
export function listWritable(run: ModelRun, adapter: CliAdapter | null): readonly string[] {
  if (run.sandbox === null) return [];
  const env = { ...adapter?.env, ...modelEnvironment(run, "") };
  const paths = [...new Set(writableOf(listMounts(run.sandbox, run, adapter, env)))];
  return paths.filter(
    (path) =>
      !isUnder(
        path,
        paths.filter((other) => other !== path),
      ),
  );
}

function listMounts(
  rules: SandboxRules,
  run: ModelRun,
  adapter: CliAdapter | null,
  env: Readonly<Record<string, string>>,
): readonly Mount[] {
  const own = adapter === null ? [] : ownMounts(adapter, env, run);
  return [...rulesAsMounts(rules), { kind: "writable", path: realpathSync(run.workFolder) } as const, ...own];
}

function writableOf(mounts: readonly Mount[]): readonly string[] {
  return mounts.filter(({ kind }) => kind === "writable").map(({ path }) => path);
}

/** If the sandbox could not be made, the model never started. */
export function readSandboxEnd(run: ModelRun, end: BoundedEnd): BoundedEnd {
  const problem = run.sandbox === null || end.kind !== "exited" ? null : setupProblem(end);
  return problem === null ? end : { ...end, kind: "not_started", problem: `the sandbox could not be made: ${problem}` };
}

function rulesAsMounts(rules: SandboxRules): Mount[] {
  const mount =
    (kind: Mount["kind"]) =>
    (path: string): Mount => ({ kind, path: realOr(path) });
  return [
    ...rules.writable.map(mount("writable")),
    ...rules.readOnly.map(mount("read_only")),
    ...(rules.hidden ?? []).map(mount("empty")),
  ];
}

/** The CLI's login, settings and sessions. Paths above the repo or the task keep the rules' rights. */
function ownMounts(adapter: CliAdapter, env: Readonly<Record<string, string>>, run: ModelRun): Mount[] {
  const home = env.HOME ?? homedir();
  return adapter.ownPaths(env, home).flatMap((named): Mount[] => {
    const path = resolve(run.repo, named);
    // The CLI's own error says what it needs the folder for, where a file or a link to nowhere is.
    if (extname(path) === "") orElse(() => mkdirSync(path, { recursive: true, mode: 0o700 }), undefined);
    const real = realOrNull(path);
    if (real === null || [run.repo, run.taskDir].some((folder) => isUnder(folder, [real]))) return [];
    return [{ kind: "writable", path: real }];
  });
}

/**
 * Inside, the temporary folder is another, empty one. What the call names there (a program, a home, a setting) becomes
 * readable: each path's first folder as a whole.
 */
function namedInTemporary(argv: readonly string[], env: Readonly<Record<string, string>>, run: ModelRun): string[] {
  const program = findExecutable(argv[0] ?? "", run.repo, env.PATH ?? "");
  const words = [...argv, ...Object.values(env).flatMap((value) => value.split(":")), run.model.folder, program ?? ""];
  const inside = `${temporaryFolder}${sep}`;
  const tops = words
    .filter((word) => word.startsWith(sep))
    .flatMap((word) => [resolve(word), realOrNull(word) ?? ""])
    .filter((path) => path.startsWith(inside))
    .map((path) => join(temporaryFolder, path.slice(inside.length).split(sep)[0] ?? ""));
  return [...new Set(tops)].filter((path) => realOrNull(path) === path && dirname(path) === temporaryFolder);
}
