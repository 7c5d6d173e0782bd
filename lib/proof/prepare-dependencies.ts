import { join } from "node:path";
import { orderlyGraceMs } from "../machine/grace.ts";
import { runBounded } from "../process/bounded.ts";
import { childMark } from "../process/mark.ts";
import { makeFolder, neverSynced } from "../store/folder.ts";
import { quoteWord } from "../text/shell-words.ts";
import { copyCarried } from "./carry.ts";
import { type CellCut, type CellPlace, refused } from "./cell.ts";
import { toCopy } from "./copy-paths.ts";

export interface Settled {
  /** What of the carried folders and files the copy does not hold. */
  readonly leftOut: readonly string[];
}

const prepareTimeoutMs = 10 * 60_000;
const capBytes = 16 * 1024 * 1024;

/** Carries along what git ignores, and lets the contract's own commands make the rest. Throws TP_DISK. */
export async function prepareDependencies(place: CellPlace, carried: readonly string[]): Promise<Settled | CellCut> {
  const along = await carryAlong(place, carried);
  return "kind" in along ? along : ((await prepareCopy(place)) ?? along);
}

/** What the copy still holds of an earlier cell stays. */
async function carryAlong({ ground, copy, kept }: CellPlace, carried: readonly string[]): Promise<Settled | CellCut> {
  const { repo, signal, listed } = ground;
  const added = new Map<string, readonly string[]>();
  for (const folder of carried) {
    if (kept.leftOutOf(folder) !== null) continue;
    const pins = ground.pins?.isHeld(folder) === true ? ground.pins : null;
    const done = await copyCarried({ repo, folder, target: copy, listed, pins, signal });
    if (signal.aborted) return { kind: "aborted" };
    if (done.problem !== null) return refused(done.problem);
    added.set(folder, done.leftOut);
  }
  await kept.note(added);
  return { leftOut: carried.flatMap((folder) => kept.leftOutOf(folder) ?? added.get(folder) ?? []) };
}

/** Null if every command passed. */
async function prepareCopy({ ground, request, copy, env }: CellPlace): Promise<CellCut | null> {
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
    const how = end.kind === "exited" ? `exit ${end.exitCode ?? end.signal}` : end.kind.replace("_", " ");
    return refused(
      `\`${said}\` of proof.prepare did not pass in the clean copy: ${how}; see ${request.logRelative}/${log}`,
    );
  }
  return null;
}
