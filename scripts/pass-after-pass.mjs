import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { execaSync } from "execa";

/** The checkout that these scripts are in. */
export const checkout = dirname(dirname(fileURLToPath(import.meta.url)));

/** A new folder outside the checkout. It is kept: its files are what the script has to show. */
export function makeScratch(name, parent = tmpdir()) {
  return realpathSync(mkdtempSync(join(parent, `task-phase-${name}-`)));
}

/** An environment in which nothing of the person's own settings is read or written. */
export function makeEnvironment(scratch) {
  const home = join(scratch, "home");
  mkdirSync(home);
  return {
    PATH: process.env.PATH ?? "",
    LANG: process.env.LANG ?? "C.UTF-8",
    TMPDIR: tmpdir(),
    HOME: home,
    XDG_STATE_HOME: join(home, "state"),
    XDG_CONFIG_HOME: join(home, "config"),
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_AUTHOR_NAME: "task-phase",
    GIT_AUTHOR_EMAIL: "task-phase@localhost",
    GIT_COMMITTER_NAME: "task-phase",
    GIT_COMMITTER_EMAIL: "task-phase@localhost",
    npm_config_update_notifier: "false",
  };
}

/** Runs a program to its end and returns its standard output; throws with what it said where it fails. */
export function run(argv, cwd, env) {
  const [program, ...words] = argv;
  return execaSync(program, words, { cwd, env, extendEnv: false, stripFinalNewline: false }).stdout;
}

/**
 * Calls `task-phase-run` on one task until it is done, and prints each pass as it ends. True if the task is done;
 * the last two lines printed are then the paths of its STATE.md and its evidence page.
 */
export function runUntilDone(taskDir, env, { maxPasses, print }) {
  const argv = [join(checkout, "bin", "task-phase-run"), "--task-dir", taskDir, "--json"];
  for (let count = 0; count < maxPasses; count += 1) {
    const end = execaSync(process.execPath, argv, { cwd: taskDir, env, extendEnv: false, reject: false });
    const report = readReport(end, print);
    if (report === null) return false;
    for (const line of describePass(report)) print(line);
    if (end.exitCode !== 0) return false;
    if (report.to === "done") return showPaths(taskDir, print);
  }
  print(`not done after ${maxPasses} passes`);
  return false;
}

function readReport(end, print) {
  try {
    return JSON.parse(end.stdout);
  } catch {
    print(`task-phase-run ended with ${end.exitCode ?? end.signal} and printed no JSON`);
    print(`${end.stdout}${end.stderr}`.trimEnd());
    return null;
  }
}

/** One pass in plain lines. */
export function describePass(report) {
  const lines = [report.pass === null ? "no pass" : describeMove(report)];
  if (report.verdict !== "accepted") {
    if (report.proposed !== report.to) lines.push(`  proposed: ${report.proposed}`);
    lines.push(`  reason: ${oneLine(report.reason)}`, `  exit code: ${report.exit_code} ${report.exit_name}`);
  }
  for (const check of report.validators ?? []) {
    const against = check.attribution === null ? "" : `, ${check.attribution} against what it was before the work`;
    lines.push(`  validator ${check.name}: ${check.status}, exit code ${check.exit_code}${against}`);
  }
  for (const ticket of report.tickets ?? []) {
    lines.push(`  ticket ${ticket.id}: ${ticket.source} ${ticket.name}: ${oneLine(ticket.text)}`);
  }
  for (const finding of (report.findings ?? []).filter(({ severity }) => severity === "error")) {
    lines.push(`  ${finding.code}: ${oneLine(finding.message)}`);
  }
  return lines;
}

function describeMove({ pass, from, to, verdict, model, duration_ms: ms }) {
  const move = from === to ? `${from}, as before` : `${from} → ${to}`;
  return `pass ${pass}: ${move}, ${verdict} (${model}, ${(ms / 1000).toFixed(1)} s)`;
}

function oneLine(text) {
  const line = String(text).replace(/\s+/g, " ").trim();
  return line.length > 160 ? `${line.slice(0, 159)}…` : line;
}

function showPaths(taskDir, print) {
  const paths = [join(taskDir, "STATE.md"), join(taskDir, "artifacts", "evidence.html")];
  const missing = paths.filter((path) => !existsSync(path));
  const isDone = missing.length === 0 && /^- Phase: done$/m.test(readFileSync(paths[0], "utf8"));
  if (!isDone) {
    print(missing.length > 0 ? `not there: ${missing.join(", ")}` : `${paths[0]} does not say done`);
    return false;
  }
  for (const path of paths) print(path);
  return true;
}
