import { join } from "node:path";
import { runBounded } from "../../process/bounded.ts";
import { orderlyGraceMs } from "../../process/grace.ts";
import { childMark } from "../../process/mark.ts";
import { makeFolder, neverSynced } from "../../store/folder.ts";
import { refuseFullDisk } from "../../store/full-disk.ts";
import { quoteWord } from "../../text/shell-words.ts";
import { type CarryRequest, copyCarried } from "./carry.ts";
import { type CellCut, type CellPlace, refused } from "./cell.ts";
import { toCopy } from "./copy-paths.ts";
import { inTop } from "./in-top.ts";

export interface LeftOut {
  /** What of the carried folders and files the copy does not hold. */
  readonly leftOut: readonly string[];
}

const prepareTimeoutMs = 10 * 60_000;
const capBytes = 16 * 1024 * 1024;

/** Carries along what git ignores, and lets the contract's own commands make the rest. Throws TP_DISK. */
export async function prepareDependencies(place: CellPlace, carried: readonly string[]): Promise<LeftOut | CellCut> {
  const along = await carryAlong(place, carried);
  return "kind" in along ? along : ((await prepareCopy(place)) ?? along);
}

/** What is left in the copy from an earlier cell stays. */
async function carryAlong({ ground, root, kept }: CellPlace, carried: readonly string[]): Promise<LeftOut | CellCut> {
  const { repo, top, signal, pins } = ground;
  const { fromRepo, toRepo } = inTop(repo, top);
  const listed = { has: (path: string) => ground.listed.has(toRepo(path)) };
  const held: CarryRequest["pins"] = pins && { holds: (path, text) => pins.holds(toRepo(path), text) };
  const added = new Map<string, readonly string[]>();
  for (const folder of carried) {
    const name = fromRepo(folder);
    if (kept.leftOutOf(name) !== null) continue;
    const own = pins?.isHeld(folder) === true ? held : null;
    const done = await copyCarried({ repo: top, folder: name, target: root, listed, pins: own, signal });
    if (signal.aborted) return { kind: "aborted" };
    if (done.problem !== null) return refused(done.problem);
    added.set(name, done.leftOut);
  }
  await kept.note(added);
  const names = carried.map(fromRepo);
  return { leftOut: names.flatMap((name) => kept.leftOutOf(name) ?? added.get(name) ?? []).map(toRepo) };
}

/** Null if every command passed. */
async function prepareCopy({ ground, request, copy, outerEnv: env }: CellPlace): Promise<CellCut | null> {
  const { rules, repo, mark, redactor, signal } = ground;
  if (rules.prepare.length === 0) return null;
  makeFolder(request.logFolder, 0o777, neverSynced);
  for (const [index, command] of rules.prepare.entries()) {
    const log = `prepare-${index + 1}.log`;
    const path = join(request.logFolder, log);
    const end = await runBounded({
      argv: command.map((word) => toCopy(word, repo, copy)),
      cwd: copy,
      env,
      stdin: null,
      timeoutMs: prepareTimeoutMs,
      graceMs: orderlyGraceMs,
      stdoutPath: path,
      stderrPath: path,
      capBytes,
      redactor,
      mark: childMark(mark, `${request.name}-prepare${index + 1}`),
      abort: signal,
      heading: `$ ${command.map(quoteWord).join(" ")}\n\n`,
    });
    if (end.kind === "aborted") return { kind: "aborted" };
    if (end.kind === "exited" && end.exitCode === 0) continue;
    const said = redactor.redact(command.join(" "));
    refuseFullDisk(`run ${said} in`, end.stdoutTail, [copy, env.TMPDIR ?? "/tmp"]);
    const how = end.kind === "exited" ? `exit ${end.exitCode ?? end.signal}` : end.kind.replace("_", " ");
    const reason = `\`${said}\` of proof.prepare did not pass in the clean copy: ${how}; see ${request.logRelative}/${log}`;
    return { ...refused(reason), ...(end.kind === "exited" && end.exitCode !== null && { unbuilt: true }) };
  }
  return null;
}
