import { join } from "node:path";
import { orderlyGraceMs } from "../machine/grace.ts";
import { runBounded } from "../process/bounded.ts";
import { childMark } from "../process/mark.ts";
import { makeFolder, neverSynced } from "../store/folder.ts";
import { quoteWord } from "../text/shell-words.ts";
import { copyCarried, findCarried } from "./carry.ts";
import { type CellCut, type CellPlace, refused } from "./cell.ts";
import { toCopy } from "./copy-paths.ts";

export interface Settled {
  /** What of the carried folders and files the copy does not hold. */
  readonly leftOut: readonly string[];
}

const prepareTimeoutMs = 10 * 60_000;
const capBytes = 16 * 1024 * 1024;

/** Carries along what git ignores, and lets the contract's own commands make the rest. Throws TP_DISK. */
export async function prepareDependencies(place: CellPlace): Promise<Settled | CellCut> {
  const carried = await carryAlong(place);
  return "kind" in carried ? carried : ((await prepareCopy(place)) ?? carried);
}

async function carryAlong({ ground, request, copy }: CellPlace): Promise<Settled | CellCut> {
  const { rules, repo, signal, listed } = ground;
  const carried = findCarried(repo, request.contents.keys(), rules.carry);
  const leftOut: string[] = [];
  for (const folder of carried) {
    const pins = ground.pins?.isHeld(folder) === true ? ground.pins : null;
    const done = await copyCarried({ repo, folder, target: copy, listed, pins, signal });
    leftOut.push(...done.leftOut);
    if (done.problem !== null) return refused(done.problem);
  }
  return { leftOut };
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
