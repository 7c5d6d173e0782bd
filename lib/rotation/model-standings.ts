import { join } from "node:path";
import type { PassPorts } from "../anchor/ports.ts";
import type { TaskPlace } from "../anchor/task-place.ts";
import type { ModelConfig } from "../config/load-config.ts";
import { findModel } from "../models/run/run-model.ts";
import { type Cooldown, readCooldowns } from "../models/select/cooldowns.ts";
import { cooldownsName, readRuntimeFile } from "../models/select/runtime-files.ts";
import type { ModelStanding } from "../models/select/select-model.ts";
import { type Finding, warningFinding } from "../report/finding.ts";

/** How the models of a tasks root are at this moment. */
export interface ModelStandings {
  readonly cooldowns: readonly Cooldown[];
  /** The problems of cooldowns.json. */
  readonly findings: readonly Finding[];
  of(model: ModelConfig): ModelStanding;
}

/** `folder` is the one whose cooldowns.json is believed. Nothing is started to find out. */
export function readStandings(
  folder: string,
  { runtime }: Pick<TaskPlace, "runtime">,
  ports: Pick<PassPorts, "env" | "now" | "shared">,
): ModelStandings {
  const read = readRuntimeFile(folder, cooldownsName);
  const { active, problem } =
    read.kind === "file" ? readCooldowns(read.bytes, ports.now()) : { active: [], problem: null };
  const wrong =
    read.kind === "file" || read.kind === "missing"
      ? problem
      : `it is not a regular file (${read.kind.replace("_", " ")})`;
  return {
    cooldowns: active,
    findings:
      wrong === null
        ? []
        : [
            warningFinding("TP_COOLDOWNS", `cooldowns.json is damaged: ${wrong}`, {
              file: join(runtime, cooldownsName),
              fix: "correct it or delete it; invalid entries are ignored",
            }),
          ],
    of(model) {
      const cooldown = active.find((entry) => entry.model === model.name);
      const rest = ports.shared?.rests().get(model.name);
      if (rest !== undefined && rest.until > ports.now())
        return { kind: "cooling", until: rest.until.getTime(), reason: rest.reason };
      if (cooldown !== undefined) return { kind: "cooling", until: cooldown.until * 1_000, reason: cooldown.reason };
      const found = findModel(model, ports.env);
      return found.kind === "there" ? { kind: "ready" } : found;
    },
  };
}
