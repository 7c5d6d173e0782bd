import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import * as api from "@opentelemetry/api";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { passTracer, traced } from "../../../lib/notify/events/trace-pass.ts";
import type { EndedPass } from "../../../lib/task/records/ports.ts";

const ended: EndedPass = {
  ...{ task: "T-1", pass: 3, from: "verify", to: "repair", verdict: "rejected", reason: "a gate failed" },
  ...{ exit_name: "rejected", model: "mine", cost_usd: 0.25, tokens: { input: 10, output: null } },
  stages: [
    { stage: "PLAN", at: "2026-01-02T03:04:05.000Z", ms: 1_000 },
    { stage: "EXEC", at: "2026-01-02T03:04:06.000Z", ms: 2_500 },
  ],
};
const asked = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318" };
const seconds = ([whole, nanos]: api.HrTime) => whole + nanos / 1e9;

describe("a pass that is over", () => {
  const spans = new InMemorySpanExporter();
  const told: string[] = [];
  const tell = (line: string) => void told.push(line);
  const place = { folder: import.meta.dirname, tell, flushMs: 50 };
  before(() => {
    const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] });
    assert(api.trace.setGlobalTracerProvider(provider));
  });
  after(() => api.trace.disable());
  afterEach(() => {
    spans.reset();
    told.length = 0;
  });

  test("is a span with one for each of its stages in it, at the times when they were", async () => {
    await passTracer({ ...place, env: asked })(ended);
    const [plan, exec, pass] = spans.getFinishedSpans();
    assert.deepEqual([plan?.name, exec?.name, pass?.name], ["PLAN", "EXEC", "task-phase pass"]);
    assert.equal(exec?.parentSpanContext?.spanId, pass?.spanContext().spanId);
    assert.equal(pass?.parentSpanContext, undefined);
    const times = [plan, exec, pass].map((span) => [
      seconds(span?.startTime ?? [0, 0]),
      seconds(span?.endTime ?? [0, 0]),
    ]);
    const start = Date.parse("2026-01-02T03:04:05.000Z") / 1_000;
    assert.deepEqual(times, [
      [start, start + 1],
      [start + 1, start + 3.5],
      [start, start + 3.5],
    ]);
    assert.deepEqual(pass?.attributes, {
      ...{ "task_phase.task": "T-1", "task_phase.pass": 3, "task_phase.from": "verify", "task_phase.to": "repair" },
      ...{ "task_phase.verdict": "rejected", "task_phase.exit": "rejected", "task_phase.model": "mine" },
      ...{ "task_phase.cost_usd": 0.25, "gen_ai.usage.input_tokens": 10 },
    });
    assert.deepEqual(pass?.status, { code: api.SpanStatusCode.ERROR, message: "a gate failed" });
    assert.deepEqual(told, []);
  });

  test("that was accepted is no error, and belongs to the caller's trace", async (t) => {
    const context: api.SpanContext = { traceId: "a".repeat(32), spanId: "b".repeat(16), traceFlags: 1 };
    const reads = {
      inject: () => undefined,
      fields: () => ["traceparent"],
      extract: (into: api.Context, carrier: unknown) =>
        (carrier as { traceparent: string }).traceparent === "theirs" ? api.trace.setSpanContext(into, context) : into,
    };
    assert(api.propagation.setGlobalPropagator(reads));
    t.after(() => api.propagation.disable());
    await passTracer({ ...place, env: { ...asked, TRACEPARENT: "theirs" } })({ ...ended, verdict: "accepted" });
    const pass = spans.getFinishedSpans().at(-1);
    assert.deepEqual([pass?.spanContext().traceId, pass?.parentSpanContext?.spanId], [context.traceId, context.spanId]);
    assert.deepEqual(pass?.status, { code: api.SpanStatusCode.UNSET });
  });

  test("that never began is none", async () => {
    await passTracer({ ...place, env: asked })({ ...ended, pass: null });
    assert.deepEqual(spans.getFinishedSpans(), []);
  });
});

test("an exporter that does not answer, or fails, delays nothing", async (t) => {
  const said: string[] = [];
  for (const forceFlush of [
    () => new Promise<void>(() => undefined),
    () => Promise.reject(new Error("no collector")),
  ]) {
    const silent = new api.ProxyTracerProvider();
    const provider = { getTracer: (name: string) => silent.getTracer(name), forceFlush };
    assert(api.trace.setGlobalTracerProvider(provider));
    t.after(() => api.trace.disable());
    const place = { folder: import.meta.dirname, tell: (line: string) => void said.push(line), flushMs: 5 };
    await passTracer({ ...place, env: asked })(ended);
    api.trace.disable();
  }
  assert.deepEqual(said, ["no traces: no collector"]);
});

test("without the package nothing is traced, and that is said", async () => {
  const told: string[] = [];
  await passTracer({ env: asked, folder: "/", tell: (line) => void told.push(line) })(ended);
  assert.deepEqual(told, ["no traces: Cannot find module '@opentelemetry/api'"]);
});

test("only the standard variables ask for traces", () => {
  const isOn = (env: NodeJS.ProcessEnv) => traced(env, () => undefined).ended !== undefined;
  assert.deepEqual(
    [{}, asked, { OTEL_TRACES_EXPORTER: "otlp" }, { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://127.0.0.1" }].map(isOn),
    [false, true, true, true],
  );
  for (const off of [{ OTEL_SDK_DISABLED: "TRUE" }, { OTEL_TRACES_EXPORTER: "none" }])
    assert(!isOn({ ...asked, ...off }));
  assert(!isOn({ OTEL_EXPORTER_OTLP_ENDPOINT: "" }));
});
