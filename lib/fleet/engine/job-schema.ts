import * as v from "valibot";
import type { Job } from "./engine.ts";

const jobSchema = v.object({
  v: v.literal(1),
  repo: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
  url: v.string(),
  task: v.string(),
  ref: v.string(),
  base_sha: v.nullable(v.string()),
  seen_seq: v.number(),
  phase: v.string(),
  account: v.nullable(v.string()),
  priority: v.pipe(v.number(), v.integer()),
});

/** Null if it is none that this version can do: anybody who may write into the database may have written it. */
export function readJob(data: unknown): Job | null {
  const read = v.safeParse(jobSchema, data);
  return read.success ? read.output : null;
}
