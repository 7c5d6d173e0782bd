import { basename, join, relative } from "node:path";
import { configName, userConfigFolder } from "../../documents/config/find-config.ts";
import type { ModelConfig } from "../../documents/config/load-config.ts";
import { statEntry } from "../../store/folder.ts";
import type { TaskContract } from "../../task/load-contract.ts";
import type { PassPorts } from "../../task/records/ports.ts";
import type { PassRequest } from "../../task/request.ts";
import { cooldownsName, lastModelName, readRuntimeBytes, readRuntimeFile } from "../../task/runtime-files.ts";
import { believedFolder, runtimeOf } from "../../task/runtime-place.ts";
import { hold, type Stop, stop, type TaskSession } from "../../task/session.ts";
import { usageError } from "../../text/errors.ts";
import { type Finding, infoFinding, warningFinding } from "../../text/finding.ts";
import { renderKnownNames } from "../../text/nearest.ts";
import { shorten } from "../../text/shorten.ts";
import { notExecutable } from "../inspect/next-steps.ts";
import { isoTime } from "../run/model-run.ts";
import { findModel } from "../run/run-model.ts";
import { type Cooldown, readCooldowns } from "../select/cooldowns.ts";
import { type ReadLastModel, readLastModel } from "../select/last-model.ts";
import { type ModelStanding, type SelectedModel, type SkippedModel, selectModel } from "../select/select-model.ts";

const doctorStep = "`task-phase doctor` lists the installed programs and how to install the others";
const probeStep = "`task-phase probe` checks whether a model works";

export type NamedModels = Pick<PassRequest, "model" | "models" | "run">;

/**
 * The models that this call may use: those that it names, in that order and each once, else all of the configuration.
 * A name that the configuration does not have is a usage error.
 */
export function listCandidates({ config }: TaskContract, { model, models }: NamedModels): readonly ModelConfig[] {
  const names = model !== null ? [model] : models;
  return names === null ? config.models : [...new Set(names)].map((name) => requireModel(config, name));
}

/** The model of this pass. A stop if none can be called; those that were passed over are findings. */
export function chooseModel(session: TaskSession, contract: TaskContract, named: NamedModels): ModelConfig | Stop {
  const { place, history } = session;
  const candidates = listCandidates(contract, named);
  if (candidates.length === 0) {
    // STATE.md says it too, and is read on other machines.
    const path = contract.config.path ?? join(place.tasksRoot, "task-phase.yaml");
    const where = path.startsWith(`${place.tasksRoot}/`) ? relative(place.tasksRoot, path) : basename(path);
    const brief = "no model is configured";
    const users = join(userConfigFolder(session.ports), configName);
    const hidden = path !== users && statEntry(users) !== null ? `; with it, ${users} is not read` : "";
    const what = `${brief}; add one under \`models\` in ${where}${hidden}`;
    return hold("unavailable", "refused", what, history.phase, brief);
  }
  const { selected, findings } = select(session, contract, candidates, named);
  session.findings.push(...findings);
  if (selected.kind === "none") {
    const why = renderNone(session, selected.skipped);
    const until = isoTime(selected.nextEligible);
    // The next call asks one that is set aside again.
    const isForLater = until !== null || selected.skipped.some(({ standing }) => standing.kind === "aside");
    return isForLater
      ? { ...stop("unavailable", why, history.phase), nextEligibleAt: until }
      : hold("unavailable", "refused", why, history.phase);
  }
  session.findings.push(...selected.skipped.map((skipped) => skippedFinding(session, skipped)));
  return selected.model;
}

/** When the next pass of this call could find a model; null if one can be called now, and where waiting helps none. */
export function nextEligibleAt(session: TaskSession, contract: TaskContract, named: NamedModels): string | null {
  const { selected } = select(session, contract, listCandidates(contract, named), named);
  return selected.kind === "none" ? isoTime(selected.nextEligible) : null;
}

function requireModel({ models, path }: TaskContract["config"], name: string): ModelConfig {
  const model = models.find((candidate) => candidate.name === name);
  if (model !== undefined) return model;
  const names = models.map((candidate) => candidate.name);
  throw usageError("TP_MODEL_UNKNOWN", `no model is named ${shorten(name)}`, {
    file: path,
    fix: renderKnownNames(name, names, "the models are") ?? "add it under `models` in task-phase.yaml",
  });
}

function select(
  session: TaskSession,
  { config }: TaskContract,
  candidates: readonly ModelConfig[],
  { run }: NamedModels,
): { selected: SelectedModel<ModelConfig>; findings: readonly Finding[] } {
  const { place, ports, history } = session;
  const folder = believedFolder(place, ports);
  const standings = readStandings([folder], ports);
  const turn = readLastModel(readRuntimeBytes(folder, lastModelName));
  const last = turn.name ?? history.startedModel;
  const stand = (model: ModelConfig): ModelStanding => {
    const aside = run?.asideModels.find(({ name }) => name === model.name);
    return aside === undefined ? standings.of(model) : { kind: "aside", reason: aside.reason };
  };
  return {
    selected: selectModel(candidates, config.modelSelection, last, stand),
    findings: [...standings.findings, ...turnFindings(session, turn)],
  };
}

/** Where a person changes such a file. */
function noteFile({ place, ports }: TaskSession, name: string): string {
  return join(runtimeOf(place, ports).folder, name);
}

function turnFindings(session: TaskSession, { problem }: ReadLastModel): Finding[] {
  if (problem === null) return [];
  const message = `state.json is damaged: ${problem}; the journal decides which model is next`;
  return [warningFinding("TP_TURN", message, { file: noteFile(session, lastModelName), fix: "the pass rewrites it" })];
}

function skippedFinding(session: TaskSession, skipped: SkippedModel): Finding {
  const file = skipped.standing.kind === "cooling" ? noteFile(session, cooldownsName) : null;
  const fix = { cooling: null, missing: missingFix(skipped), aside: probeStep }[skipped.standing.kind];
  return infoFinding("TP_MODEL_SKIPPED", `skipped: ${say(skipped)}`, { file, fix });
}

function missingFix({ standing }: SkippedModel): string {
  return (standing.kind === "missing" ? notExecutable(standing.reason) : null) ?? doctorStep;
}

function renderNone(session: TaskSession, skipped: readonly SkippedModel[]): string {
  const cooling = skipped.filter(({ standing }) => standing.kind === "cooling").length;
  const [entry, it] = cooling === 1 ? ["its entry", "it"] : ["their entries", "them"];
  const file = noteFile(session, cooldownsName);
  const ends = cooling > 0 ? `. A cooldown ends by itself; delete ${entry} in ${file} to end ${it} now` : "";
  const steps = [
    ...new Set(skipped.filter(({ standing }) => standing.kind === "missing").map((one) => `. ${missingFix(one)}`)),
    skipped.some(({ standing }) => standing.kind === "aside") ? `. ${probeStep}` : "",
  ].join("");
  const each = skipped.map(say).join("; ");
  return `${skipped.length === 1 ? `model ${each}` : `no model can be called: ${each}`}${steps}${ends}`;
}

function say({ name, standing }: SkippedModel): string {
  if (standing.kind === "missing") return `${name} cannot be called: ${standing.reason}`;
  if (standing.kind === "aside") return `${name} is set aside for the rest of this call: ${standing.reason}`;
  return `${name} is cooling down until ${isoTime(standing.until)} (${standing.reason})`;
}

function readActive(folder: string, now: Date): { active: readonly Cooldown[]; findings: readonly Finding[] } {
  const file = join(folder, cooldownsName);
  const read = readRuntimeFile(folder, cooldownsName);
  if (read.kind === "missing") return { active: [], findings: [] };
  const { active, problem } =
    read.kind === "file"
      ? readCooldowns(read.bytes, now)
      : { active: [], problem: `it is not a regular file (${read.kind.replace("_", " ")})` };
  if (problem === null) return { active, findings: [] };
  const fix = "correct it or delete it; invalid entries are ignored";
  return { active, findings: [warningFinding("TP_COOLDOWNS", `cooldowns.json is damaged: ${problem}`, { file, fix })] };
}

/** `folders` are those whose cooldowns.json is believed; of two about a model, the later. Nothing is started to find out. */
export function readStandings(
  folders: readonly string[],
  ports: Pick<PassPorts, "env" | "now" | "shared">,
): {
  readonly cooldowns: readonly Cooldown[];
  readonly findings: readonly Finding[];
  of(model: ModelConfig): ModelStanding;
} {
  const all = folders.map((folder) => readActive(folder, ports.now()));
  const latest = all.flatMap(({ active }) => active).sort((left, right) => right.until - left.until);
  const active = latest.filter(({ model }, index) => latest.findIndex((each) => each.model === model) === index);
  return {
    cooldowns: active,
    findings: all.flatMap(({ findings }) => findings),
    of(model) {
      const cooldown = active.find((entry) => entry.model === model.name);
      const shared = ports.shared?.cooldowns().get(model.name);
      if (shared !== undefined && shared.until > ports.now())
        return { kind: "cooling", until: shared.until.getTime(), reason: shared.reason };
      if (cooldown !== undefined) return { kind: "cooling", until: cooldown.until * 1_000, reason: cooldown.reason };
      const found = findModel(model, ports.env);
      return found.kind === "there" ? { kind: "ready" } : found;
    },
  };
}
