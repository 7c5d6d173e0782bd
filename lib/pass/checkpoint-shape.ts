import * as v from "valibot";
import { type Verdict, verdicts } from "../machine/facts.ts";
import { type Phase, phaseNames } from "../machine/phases.ts";
import { type ReadShape, readShape, whole } from "../text/read-shape.ts";

/** artifacts/checkpoint.json, for other programs: where the task stands. docs/task-folder.md says what each key is. */
export interface Checkpoint {
  readonly version: 1;
  readonly project_id: string;
  readonly state: Phase;
  readonly timestamp: string;
  readonly request: string;
  readonly mode: "run" | "loop";
  readonly agents: readonly string[];
  readonly self_heal: {
    readonly current_problem: string | null;
    readonly attempt: number;
    readonly history: readonly RepairAttempt[];
  };
  readonly files_modified: readonly string[];
  readonly git_commits: readonly string[];
  readonly pass: number | null;
  readonly step: string | null;
  readonly verdict: Verdict | null;
  readonly run: string | null;
  readonly model: string | null;
  readonly elapsed_ms: number | null;
  readonly spend: {
    readonly known_usd: number | null;
    readonly charged_usd: number;
    readonly unknown_costs: number;
    readonly tokens: number;
    readonly time_ms: number;
  };
  readonly journal: { readonly seq: number; readonly head: string | null };
}

interface RepairAttempt {
  readonly pass: number;
  readonly at: string;
  readonly from: Phase;
  readonly to: Phase;
  readonly verdict: Verdict;
  readonly reason: string;
}

const text = v.string();
const texts = v.array(text);
const maybeText = v.nullable(text);
const number = v.number();
const phase = v.picklist(phaseNames);
const verdict = v.picklist(verdicts);

const attempt = whole<RepairAttempt>()({ pass: number, at: text, from: phase, to: phase, verdict, reason: text });

const schema = whole<Checkpoint>()({
  version: v.literal(1),
  project_id: text,
  state: phase,
  timestamp: text,
  request: text,
  mode: v.picklist(["run", "loop"]),
  agents: texts,
  self_heal: whole<Checkpoint["self_heal"]>()({
    current_problem: maybeText,
    attempt: number,
    history: v.array(attempt),
  }),
  files_modified: texts,
  git_commits: v.array(v.pipe(text, v.regex(/^[0-9a-f]{7,64}$/))),
  pass: v.nullable(number),
  step: maybeText,
  verdict: v.nullable(verdict),
  run: maybeText,
  model: maybeText,
  elapsed_ms: v.nullable(number),
  spend: whole<Checkpoint["spend"]>()({
    known_usd: v.nullable(number),
    charged_usd: number,
    unknown_costs: number,
    tokens: number,
    time_ms: number,
  }),
  journal: whole<Checkpoint["journal"]>()({ seq: number, head: maybeText }),
});

/** The whole file; one with another key missing or of another kind is not read at all. Does not throw. */
export function readCheckpoint(bytes: Buffer): ReadShape<Checkpoint> {
  return readShape(schema, bytes);
}
