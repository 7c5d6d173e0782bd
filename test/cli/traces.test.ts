import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
import { makeFleet } from "../fleet/fleet-world.ts";

/** What a person's own OpenTelemetry does in the place of an SDK: it is there before the program begins. */
const sdk = (paths: { readonly api: string; readonly base: string; readonly file: string }) => `
const api = require(${JSON.stringify(paths.api)});
const { BasicTracerProvider, SimpleSpanProcessor } = require(${JSON.stringify(paths.base)});
const write = (span) => require("node:fs").appendFileSync(${JSON.stringify(paths.file)}, span.name + "\\n");
const exporter = {
  export: (spans, done) => { spans.forEach(write); done({ code: 0 }); },
  shutdown: async () => {},
};
api.trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
`;

test("a command hands the pass and its stages to an OpenTelemetry SDK of its environment", async (t) => {
  const require = createRequire(import.meta.url);
  const fleet = makeFleet(t);
  const file = fleet.path("spans");
  const paths = {
    api: require.resolve("@opentelemetry/api"),
    base: require.resolve("@opentelemetry/sdk-trace-base"),
    file,
  };
  const register = fleet.write("register.cjs", sdk(paths));
  const one = fleet.machine("one");
  const env = { NODE_OPTIONS: `--require ${register}` };
  assert.equal((await one.claim("T-1", [], { env })).code, 0);
  assert.equal(fleet.exists("spans"), false, "nobody asked for traces");
  const end = await one.claim("T-1", [], { env: { ...env, OTEL_TRACES_EXPORTER: "console" } });
  assert.equal(end.code, 0, end.stderr);
  const names = fleet.read("spans").trimEnd().split("\n");
  assert.deepEqual([names[0], names.at(-1)], ["PLAN", "task-phase pass"]);
  assert(names.includes("EXEC") && names.includes("VALIDATE"), names.join(" "));
});
