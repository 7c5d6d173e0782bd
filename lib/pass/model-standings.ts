import { join } from "node:path";
import type { ModelConfig } from "../config/load-config.ts";
import { type Cooldown, readCooldowns } from "../models/cooldowns.ts";
import { findModel } from "../models/run-model.ts";
import { cooldownsName, readRuntimeFile } from "../models/runtime-files.ts";
import type { ModelStanding } from "../models/select-model.ts";
import { type Finding, warningFinding } from "../report/finding.ts";
import type { PassPorts } from "./ports.ts";
import type { TaskPlace } from "./task-place.ts";

/** How the models of a tasks root stand at this moment. */
export interface ModelStandings {
  readonly cooldowns: readonly Cooldown[];
  /** What is wrong with cooldowns.json. */
  readonly findings: readonly Finding[];
  of(model: ModelConfig): ModelStanding;
}

/** `folder` is the one whose cooldowns.json is believed. Nothing is started to find out. */
export function readStandings(
  folder: string,
  { runtime }: Pick<TaskPlace, "runtime">,
  ports: Pick<PassPorts, "env" | "now">,
): ModelStandings {
  const read = readRuntimeFile(folder, cooldownsName);
  const { active, problem } = readCooldowns(read.kind === "file" ? read.bytes : null, ports.now());
  const wrong =
    read.kind === "file" || read.kind === "missing"
      ? problem
      : `it is no regular file (${read.kind.replace("_", " ")})`;
  return {
    cooldowns: active,
    findings:
      wrong === null
        ? []
        : [
            warningFinding("TP_COOLDOWNS", `cooldowns.json is damaged: ${wrong}`, {
              file: join(runtime, cooldownsName),
              fix: "correct it or delete it; what is wrong in it counts for nothing",
            }),
          ],
    of(model) {
      const cooldown = active.find((entry) => entry.model === model.name);
      if (cooldown !== undefined) return { kind: "cooling", until: cooldown.until * 1_000, reason: cooldown.reason };
      const found = findModel(model, ports.env);
      return found.kind === "there" ? { kind: "ready" } : found;
    },
  };
}
