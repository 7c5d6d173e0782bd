import * as v from "valibot";
import { phaseNames } from "../phases.ts";

export const text = v.string();
export const texts = v.array(text);
export const flag = v.boolean();
export const number = v.number();
export const maybeText = v.nullable(text);
export const maybeNumber = v.nullable(number);
export const maybeFlag = v.nullable(flag);
/** Whole and not negative: a pass, a count, a size. */
export const count = v.pipe(v.number(), v.integer(), v.minValue(0));
/** The usage of a call, if known; with nonsense here a budget would never take effect. */
export const amount = v.nullable(v.pipe(v.number(), v.minValue(0)));
export const tokens = v.object({ input: amount, output: amount });
export const phase = v.picklist(phaseNames);
export const maybePhase = v.nullable(phase);
/** When a thing happened, ISO 8601. */
export const time = v.pipe(
  text,
  v.check((value) => !Number.isNaN(Date.parse(value)), "a time in ISO 8601"),
  v.metadata({ format: "date-time" }),
);
export const maybeTime = v.nullable(time);
