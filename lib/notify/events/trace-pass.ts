import { createRequire } from "node:module";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Attributes, Context, Tracer } from "@opentelemetry/api";
import type { EndedPass } from "../../task/records/ports.ts";
import { messageOf } from "../../text/errors.ts";

type Api = typeof import("@opentelemetry/api");

/** Hands a pass to OpenTelemetry. Never throws, and takes seconds at most: the verdict is there already. */
export type PassTracer = (pass: EndedPass) => Promise<void>;

export interface TracerPlace {
  readonly env: NodeJS.ProcessEnv;
  /** Where Node begins to look for `@opentelemetry/api`. */
  readonly folder: string;
  /** Receives the reason why nothing is traced. */
  readonly tell: (line: string) => void;
  /** The time that an exporter has whose collector does not answer. */
  readonly flushMs?: number;
}

const longestFlushMs = 3_000;

/** The standard variables of https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/. */
function isTraced(env: NodeJS.ProcessEnv): boolean {
  if (env.OTEL_SDK_DISABLED?.toLowerCase() === "true" || env.OTEL_TRACES_EXPORTER === "none") return false;
  return [env.OTEL_TRACES_EXPORTER, env.OTEL_EXPORTER_OTLP_ENDPOINT, env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT].some(
    (value) => value !== undefined && value !== "",
  );
}

/**
 * The port of a run whose environment asks for traces. `@opentelemetry/api` is loaded from where task-phase itself is, and
 * never from a repository: what it loads runs as the runner.
 */
export function traced(env: NodeJS.ProcessEnv, tell: (line: string) => void): { readonly ended?: PassTracer } {
  return isTraced(env) ? { ended: passTracer({ env, folder: import.meta.dirname, tell }) } : {};
}

/** A span for the pass, a child of TRACEPARENT if that is set, and one within it for each stage. */
export function passTracer({ env, folder, tell, flushMs = longestFlushMs }: TracerPlace): PassTracer {
  return async (pass) => {
    try {
      const require = createRequire(join(folder, "any.cjs"));
      const api: Api = require("@opentelemetry/api");
      writeSpans(api, pass, env);
      await flush(api, flushMs);
    } catch (error) {
      tell(`no traces: ${messageOf(error).split("\n")[0]}`);
    }
  };
}

function writeSpans(api: Api, pass: EndedPass, env: NodeJS.ProcessEnv): void {
  const [first, last] = [pass.stages[0], pass.stages.at(-1)];
  if (pass.pass === null || first === undefined || last === undefined) return;
  const tracer = api.trace.getTracer("task-phase");
  const carrier = { traceparent: env.TRACEPARENT ?? "", tracestate: env.TRACESTATE ?? "" };
  const parent = api.propagation.extract(api.ROOT_CONTEXT, carrier);
  const span = tracer.startSpan(
    "task-phase pass",
    { startTime: new Date(first.at), attributes: attributesOf(pass) },
    parent,
  );
  writeStages(tracer, pass, api.trace.setSpan(parent, span));
  if (pass.verdict !== "accepted") span.setStatus({ code: api.SpanStatusCode.ERROR, message: pass.reason });
  span.end(endOf(last));
}

function writeStages(tracer: Tracer, { stages }: EndedPass, within: Context): void {
  for (const stage of stages) {
    tracer.startSpan(stage.stage, { startTime: new Date(stage.at) }, within).end(endOf(stage));
  }
}

function endOf({ at, ms }: EndedPass["stages"][number]): Date {
  return new Date(new Date(at).getTime() + ms);
}

function attributesOf({ task, pass, from, to, verdict, exit_name, model, cost_usd, tokens }: EndedPass): Attributes {
  const said = {
    "task_phase.task": task,
    "task_phase.pass": pass,
    "task_phase.from": from,
    "task_phase.to": to,
    "task_phase.verdict": verdict ?? "none",
    "task_phase.exit": exit_name,
    "task_phase.model": model,
    "task_phase.cost_usd": cost_usd,
    "gen_ai.usage.input_tokens": tokens.input,
    "gen_ai.usage.output_tokens": tokens.output,
  };
  return Object.fromEntries(Object.entries(said).filter((entry) => entry[1] !== null)) as Attributes;
}

/** The process ends soon, and an exporter gathers spans for seconds. */
async function flush(api: Api, ms: number): Promise<void> {
  const given: unknown = api.trace.getTracerProvider();
  const provider = given instanceof api.ProxyTracerProvider ? given.getDelegate() : given;
  if (!isFlushable(provider)) return;
  const bound = new AbortController();
  const wait = sleep(ms, undefined, { signal: bound.signal }).catch(() => undefined);
  await Promise.race([provider.forceFlush(), wait]).finally(() => bound.abort());
}

function isFlushable(provider: unknown): provider is { forceFlush(): Promise<void> } {
  return typeof provider === "object" && provider !== null && "forceFlush" in provider;
}
