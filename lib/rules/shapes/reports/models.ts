import * as v from "valibot";
import { about, type Shape } from "../../../text/shape.ts";
import {
  amount,
  count,
  flag,
  maybeFlag,
  maybeNumber,
  maybeText,
  maybeTime,
  number,
  text,
  texts,
  tokens,
} from "../values.ts";
import { reportOf } from "./common.ts";

export const toolKeys = v.object({ path: maybeText, version: maybeText, usable: maybeFlag, problem: maybeText });

export const agentKeys = v.object({
  name: about(text, "the adapter"),
  program: about(text, "the program searched for on PATH"),
  package: about(text, "its npm package"),
  path: about(maybeText, "null if PATH does not lead to it; then all that follows is null or empty"),
  version: about(maybeText, "such as `2.1.330`"),
  version_text: about(maybeText, "the line that it printed"),
  callable: about(maybeFlag, "whether it printed its version and ended with 0"),
  problem: about(
    maybeText,
    "why it is not callable; names what is on PATH under its name and is not an executable file",
  ),
  login: about(v.picklist(["yes", "no", "unknown"]), "only some can be asked without a call that costs"),
  on_cron_path: maybeFlag,
  env: about(texts, "names of variables that it knows and that are set"),
  configured_as: about(texts, "names of the models of task-phase.yaml that call it"),
  config: about(text, "the line of task-phase.yaml that turns it on"),
});

export const doctorKeys = v.object({
  config: about(
    v.object({ path: maybeText, ok: flag, sandbox: maybeText }),
    "`path` is null if none is found, `sandbox` if it is wrong",
  ),
  agents: about(v.array(agentKeys), "one for each adapter of an agent CLI"),
  models: about(
    v.array(v.object({ name: text, adapter: text, there: flag, problem: maybeText })),
    "each model of task-phase.yaml",
  ),
  node: v.object({ path: text, version: text, ok: flag, needs: text }),
  git: about(toolKeys, "`usable` is null if it is not there"),
  sandbox: about(
    v.object({ tool: text, ...toolKeys.entries, config: text }),
    "the same of bwrap, with `tool` and `config`: the key that turns it on",
  ),
  signing: about(
    v.object({ config: maybeText, key: maybeText, problem: maybeText }),
    "`config` is the value of `sign`; with `ssh`, the key that signs, or why none does",
  ),
  containment: about(
    v.object({ kind: v.picklist(["control_group", "proc", "group"]), text }),
    "`kind` is `control_group` if the kernel ends whatever an agent leaves (cgroup v2 and `cgroup.kill`, as root or in a delegated tree), `proc` if every process that an agent leaves is looked for, `group` if only its process group is ended",
  ),
  state_folder: v.object({ path: text, writable: flag }),
  cache_folder: about(
    v.object({
      path: text,
      kept: v.array(
        v.object({
          kind: v.picklist(["clones", "dependencies", "views", "lost", "mirrors", "workspaces"]),
          count,
          bytes: count,
        }),
      ),
    }),
    "what passes in clones keep there, by kind: working trees of passes (`clones`), the files and dependencies of their next ones (`dependencies`), the trees that commands read in (`views`), work that no remote took (`lost`), copies of remotes (`mirrors`), and the notes of tasks roots (`workspaces`); `bytes` is the size of the files in them",
  ),
  cron: about(
    v.object({ path: text, missing: texts, line: maybeText, entry: maybeText }),
    "cron's own PATH, the programs of a pass that are not on it, the line of a crontab that sets PATH, and the one that runs the tasks from here; or null",
  ),
});
export const doctorReport = reportOf(doctorKeys.entries);

export const probedModel = v.object({
  name: text,
  adapter: text,
  configured: about(flag, "false for an agent CLI that task-phase.yaml does not name"),
  outcome: about(
    v.nullable(v.picklist(["answers", "hangs", "wants_login", "limited", "missing", "failed"])),
    "null if the probe was stopped",
  ),
  duration_ms: maybeNumber,
  cost_usd: amount,
  tokens,
  detail: about(text, "its answer, or the problem"),
  until: about(maybeTime, "when a limit ends"),
  next: about(maybeText, "the next step for a person"),
});

export const probeKeys = v.object({
  config: about(maybeText, "its path"),
  timeout_ms: number,
  models: about(v.array(probedModel), "one for each model that was asked"),
  skipped: about(v.array(v.object({ name: text, adapter: text })), "replay models, which answer nothing"),
});
export const probeReport = reportOf(probeKeys.entries);

export type DoctorKeys = Shape<typeof doctorKeys>;
export type AgentKeys = Shape<typeof agentKeys>;
export type ToolKeys = Shape<typeof toolKeys>;
export type ProbeKeys = Shape<typeof probeKeys>;
