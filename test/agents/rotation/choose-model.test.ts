import assert from "node:assert/strict";
import { chmodSync, mkdirSync } from "node:fs";
import { type TestContext, test } from "node:test";
import {
  chooseModel,
  listCandidates,
  type NamedModels,
  nextEligibleAt,
  readStandings,
} from "../../../lib/agents/rotation/choose-model.ts";
import type { ModelConfig } from "../../../lib/documents/config/load-config.ts";
import { emptyHistory } from "../../../lib/rules/history.ts";
import type { TaskContract } from "../../../lib/task/load-contract.ts";
import type { PassPorts } from "../../../lib/task/records/ports.ts";
import { placeOf } from "../../../lib/task/records/task-place.ts";
import type { TaskSession } from "../../../lib/task/session.ts";
import { createRedactor } from "../../../lib/text/redact.ts";
import { makeWorld } from "../../cli/arrange.ts";
import { modelConfig } from "../arrange.ts";

const now = new Date("2026-11-22T04:00:00Z");
const until = Date.parse("2026-11-22T05:00:00Z") / 1_000;
const all: NamedModels = { model: null, models: null, run: null };

/** A task whose models `a` and `b` are on PATH, and `c` is not. */
function makeCase(t: TestContext, more: Partial<TaskContract["config"]> = {}) {
  const world = makeWorld(t);
  for (const name of ["a", "b"]) chmodSync(world.write(`bin/${name}`, "#!/bin/sh\n"), 0o755);
  mkdirSync(world.path("tasks/T-1"), { recursive: true });
  const models = ["a", "b", "c"].map((name) => modelConfig({ name, command: [name] }));
  const contract = {
    config: { models, modelSelection: "round_robin", path: world.path("tasks/task-phase.yaml"), ...more },
  } as unknown as TaskContract;
  const ports: PassPorts = {
    ...{ env: { ...world.env, PATH: world.path("bin") }, home: world.path("home"), cwd: world.folder, now: () => now },
    ...{ redactor: createRedactor({}), signal: new AbortController().signal, tell: () => undefined },
  };
  const session = { place: placeOf(world.path("tasks/T-1")), history: emptyHistory, ports, findings: [] };
  return { world, contract, ports, session: session as unknown as TaskSession, models };
}

function cooling(name: string): string {
  return JSON.stringify({ [name]: { cooldown_until: until, observed_at: now.getTime() / 1_000, reason: "429" } });
}

function nameOf(chosen: ReturnType<typeof chooseModel>): string {
  return "kind" in chosen ? `${chosen.exitName}: ${chosen.reason}` : (chosen as ModelConfig).name;
}

test("a call may name one model, or some, each once and in its order; else all may be used", (t) => {
  const { contract } = makeCase(t);
  const names = (named: Partial<NamedModels>) => listCandidates(contract, { ...all, ...named }).map(({ name }) => name);
  assert.deepEqual(names({}), ["a", "b", "c"]);
  assert.deepEqual(names({ models: ["b", "a", "b"] }), ["b", "a"]);
  assert.deepEqual(names({ model: "c", models: ["a"] }), ["c"]);
  assert.throws(() => names({ model: "aa" }), /no model is named aa/);
});

test("a call without a model is refused, and the message names the file that would list one", (t) => {
  const { world, session, contract } = makeCase(t, { models: [] });
  const held = chooseModel(session, contract, all);
  const said = "unavailable: no model is configured; add one under `models` in task-phase.yaml";
  assert.equal(nameOf(held), said);
  assert.ok("held" in held);
  const users = world.write("config/task-phase/task-phase.yaml", "models: []\n");
  assert.equal(nameOf(chooseModel(session, contract, all)), `${said}; with it, ${users} is not read`);
});

test("the model is the next one after the last, and one that is not on PATH is passed over with a remark", (t) => {
  const { session, contract } = makeCase(t);
  assert.equal(nameOf(chooseModel(session, contract, all)), "a");
  const later = { ...session, history: { ...emptyHistory, startedModel: "b" } };
  assert.equal(nameOf(chooseModel(later as TaskSession, contract, all)), "a");
  const [skipped] = later.findings;
  assert.equal(skipped?.code, "TP_MODEL_SKIPPED");
  assert.match(skipped?.message ?? "", /^skipped: c cannot be called: /);
});

test("the last model is that of state.json, and that of the journal if state.json is gone or damaged", (t) => {
  const { world, session, contract } = makeCase(t);
  const later = { ...session, history: { ...emptyHistory, startedModel: "a" } } as TaskSession;
  const next = (state: string) => {
    world.write("tasks/.task-phase/state.json", state);
    return nameOf(chooseModel(later, contract, all));
  };
  assert.deepEqual([nameOf(chooseModel(later, contract, all)), later.findings], ["b", []]);
  assert.equal(next('{"version":1,"last_model":"c"}'), "a");
  assert.deepEqual(["", "{", '{"version":1,"last_model":7}'].map(next), ["b", "b", "b"]);
  assert.deepEqual(
    later.findings.map(({ code }) => code),
    ["TP_TURN", "TP_TURN", "TP_TURN"],
  );
});

test("if no model can be called, the message has each reason and the next step", (t) => {
  const { session, contract } = makeCase(t);
  const missing = chooseModel(session, contract, { ...all, model: "c" });
  assert.match(nameOf(missing), /^unavailable: model c cannot be called: .*task-phase doctor/);
  assert.ok("held" in missing && missing.nextEligibleAt === null);
  const aside = {
    ...all,
    model: "a",
    run: { asideModels: [{ name: "a", reason: "it failed" }] },
  } as unknown as NamedModels;
  const refused = chooseModel(session, contract, aside);
  assert.match(nameOf(refused), /set aside for the rest of this call: it failed.*task-phase probe/);
  assert.ok(!("held" in refused), "the next call asks it again, so the task is not refused");
});

test("a cooldown passes a model over until its end, from the tasks root or from other machines", (t) => {
  const { world, ports, models } = makeCase(t);
  const folder = world.path("notes");
  const [a, b] = models as [ModelConfig, ModelConfig];
  world.write("notes/cooldowns.json", cooling("a"));
  const standings = readStandings([folder], ports);
  assert.deepEqual(standings.of(a), { kind: "cooling", until: until * 1_000, reason: "429" });
  assert.deepEqual([standings.of(b), standings.findings], [{ kind: "ready" }, []]);
  const shared = (time: number) =>
    ({
      cooldowns: () => new Map([["b", { until: new Date(time), reason: "shared" }]]),
    }) as unknown as PassPorts["shared"];
  const ofB = (time: number) => readStandings([folder], { ...ports, shared: shared(time) } as PassPorts).of(b);
  assert.deepEqual(ofB(until * 1_000), { kind: "cooling", until: until * 1_000, reason: "shared" });
  assert.deepEqual(ofB(now.getTime()), { kind: "ready" });
});

test("the file that a person is to change is the one that is read", (t) => {
  const { world, ports, contract, ...made } = makeCase(t);
  const session = { ...made.session, ports: { ...ports, runtimeRoot: world.path("clones") } };
  const file = world.write("clones/.task-phase/cooldowns.json", cooling("a"));
  const reason = nameOf(chooseModel(session, contract, { ...all, model: "a" }));
  assert.ok(reason.endsWith(`delete its entry in ${file} to end it now`), reason);
  assert.equal(nameOf(chooseModel(session, contract, all)), "b");
  assert.equal(session.findings.find(({ code }) => code === "TP_MODEL_SKIPPED")?.file, file);
});

test("cooldowns that cannot be read are a warning, and hold back no model", (t) => {
  const { world, ports, models } = makeCase(t);
  const [a] = models as [ModelConfig];
  world.write("notes/cooldowns.json", "{");
  const damaged = readStandings([world.path("notes")], ports);
  assert.deepEqual([damaged.of(a), damaged.findings[0]?.code], [{ kind: "ready" }, "TP_COOLDOWNS"]);
  mkdirSync(world.path("other/cooldowns.json"), { recursive: true });
  const folder = readStandings([world.path("other")], ports);
  assert.match(folder.findings[0]?.message ?? "", /it is not a regular file \(/);
  const both = readStandings([world.path("other"), world.path("notes")], ports);
  const files = both.findings.map(({ file }) => file);
  assert.deepEqual(files, [world.path("other/cooldowns.json"), world.path("notes/cooldowns.json")]);
  assert.deepEqual(readStandings([world.path("none")], ports).findings, []);
});

test("a call learns when a model can be called again, and nothing if one can now or waiting does not help", (t) => {
  const { session, contract } = makeCase(t);
  assert.equal(nextEligibleAt(session, contract, all), null);
  assert.equal(nextEligibleAt(session, contract, { ...all, model: "c" }), null);
});
