import * as v from "valibot";
import { type Calibration, type Cell, grades, type Proof, type SquareFacts } from "../machine/square.ts";
import { about, whole } from "../text/shape.ts";
import { checkResult } from "./facts.ts";
import { count, maybeText, text, texts } from "./values.ts";

const cell = whole<Cell>()({
  same_as: v.nullable(v.picklist(["baseline", "control"])),
  results: v.array(checkResult),
});

export const calibration = whole<Calibration>()({
  kind: v.picklist(["good", "differs", "none"]),
  reason: maybeText,
  carried: v.nullable(texts),
  home: v.nullable(v.picklist(["private", "own"])),
});

export const squareFacts = whole<SquareFacts>()({
  fingerprint: text,
  calibration,
  changed_checks: texts,
  control: v.nullable(cell),
  guard: v.nullable(cell),
  counter: v.nullable(cell),
  no_control: maybeText,
  no_guard: maybeText,
  no_counter: maybeText,
  left_out: texts,
});

export const proof = whole<Proof>()({
  grade: v.picklist(grades),
  passed: count,
  failing: texts,
  reason: maybeText,
  looked: about(texts, "manual scenarios that a person looked at and said yes to; no part of the grade"),
});
