import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { moveClock, type Night } from "../simulation/make-night.ts";
import type { ProgramEnd } from "./programs.ts";

/** What the runner tells an agent: its environment, and which model it is. */
export interface AgentCall {
  readonly model: string;
  readonly taskDir: string;
  readonly repo: string;
  readonly pass: number;
  readonly phase: string;
  readonly usageFile: string;
}

/** The steps of a program, between which it may be cut off. */
export type Steps = Generator<void, ProgramEnd, void>;

const counting = /"verdict":"(?:accepted|redirected|rejected|no_progress)"/g;
const promise = "Did what was asked.\n<promise>COMPLETE</promise>";

/** The agent of test/fake-agents/works-at-night.sh, word for word of its plan, as a function: see there. */
export function* agent(night: Night, call: AgentCall): Steps {
  const { model, taskDir, pass, phase } = call;
  const task = path.basename(taskDir);
  const own = path.join(call.repo, task);
  const journal = path.join(taskDir, "artifacts", "journal.jsonl");
  const ledger = (name: string) => night.path("ledger", name);
  const passes = read(journal).match(counting)?.length ?? 0;
  const line = (word: string) => `${word} ${task} ${pass} ${passes} ${phase} ${model}\n`;
  appendFileSync(ledger("passes"), line("begin"));
  moveClock(night.path("clock"), 60 + ((pass * 97 + task.length * 13) % 600));

  appendFileSync(ledger(`calls-${model}`), "\n");
  const calls = read(ledger(`calls-${model}`)).length;
  const trouble = read(night.path("troubles", model))
    .split("\n")
    .find((one) => one.startsWith(`${calls} `))
    ?.slice(`${calls} `.length);
  if (trouble !== undefined) return inTrouble(trouble, model, night);

  const state = path.join(taskDir, "STATE.md");
  const set = (fields: Readonly<Record<string, string>>) => setFields(state, fields);
  const work = function* (): Generator<void, void, void> {
    yield;
    switch (phase) {
      case "intake":
        set({ Objective: `The file of ${task} is right`, "Done gate": "The check passes" });
        yield;
        return set({ "Not doing": "none", "Reality constraints": "none", Phase: "shape" });
      case "shape":
        return set({ "Validation plan": "The check of the repo", Phase: "implement" });
      case "implement":
        write(path.join(own, "work.txt"), `work of ${task}\n`);
        yield;
        write(path.join(taskDir, "artifacts", "report.md"), "It works.\n");
        yield;
        return set({ "Current result": `The file is written, ${passes}`, Phase: "verify" });
      case "verify":
        return set({ "Current result": `The file was read again, ${passes}`, Phase: "review" });
      case "review":
        return set({ "Candidate done": "yes", Phase: "done" });
      case "repair":
        rmSync(path.join(own, "broken.txt"), { force: true });
        yield;
        writeFileSync(state, read(state).replaceAll("\n- The file is not", "\n- [x] The file is not"));
        yield;
        return set({ "Current result": `Repaired, ${passes}`, Phase: "verify" });
    }
  };
  const ask = function* (title: string, safe: string, deadline: string): Generator<void, void, void> {
    const file = path.join(taskDir, "DECISIONS.md");
    // Of a pass that was cut off the question stays; it is asked once.
    if (existsSync(file)) return yield* work();
    const asked = `${phase}, pass ${pass}, ${at(night.now())}`;
    const items = [`Asked in: ${asked}`, `Question: ${title}?`, "Options: UTF-8 or Latin-1"];
    const rest = [`Safe default: ${safe}`, `Deadline: ${deadline}`, "Answer:"];
    write(file, `## Q1: ${title}\n\n${[...items, ...rest].map((item) => `- ${item}\n`).join("")}`);
    yield;
    set({ "Next step": `Wait for the answer, ${passes}`, Phase: "needs_user_decision" });
  };
  const isFirst = (what: string): boolean => {
    const file = ledger(`${what}-${task}-${passes}`);
    if (existsSync(file)) return false;
    writeFileSync(file, "");
    return true;
  };

  const planned = read(night.path("plans", task)).split("\n")[passes] ?? "";
  const [word = "", ...others] = planned.split(" ");
  const words = others.join(" ");
  let said = promise;
  switch (word) {
    case "":
    case "honest":
      yield* work();
      break;
    case "hangs":
      return { stdout: sign(model), exitCode: null };
    case "hangs-once":
      if (isFirst("hung")) return { stdout: sign(model), exitCode: null };
      yield* work();
      break;
    case "idles":
      break;
    case "crashes":
    case "dies":
      if (!isFirst("crashed")) break;
      return word === "dies" ? { exitCode: 137 } : { exitCode: null, signal: "SIGKILL" };
    case "tears":
      writeFileSync(`${state}.part`, read(state).slice(0, 300));
      yield;
      renameSync(`${state}.part`, state);
      return { exitCode: null, signal: "SIGKILL" };
    case "works":
      write(path.join(own, `step-${passes}.txt`), `step ${passes}\n`);
      yield;
      set({ "Current result": `Step ${passes} is done` });
      break;
    case "goes":
      set({ "Current result": `So I say, ${passes}`, "Candidate done": "yes", Phase: words });
      break;
    case "forges":
      yield* work();
      // Its phase may be that already.
      setFields(path.join(taskDir, "..", words, "STATE.md"), { Phase: "done", "Next step": `forged in ${pass}` });
      break;
    case "forges-journal":
      yield* work();
      appendFileSync(
        journal,
        '{"seq":999,"prev":null,"at":"2026-11-21T00:00:00Z","type":"verdict","verdict":"accepted","to":"done"}\n',
      );
      break;
    case "edits-brief": {
      yield* work();
      const brief = path.join(taskDir, "README.md");
      writeFileSync(brief, read(brief).replace(/passes: [0-9]*/, "passes: 9999"));
      break;
    }
    case "assumes":
      yield* work();
      write(path.join(taskDir, "ASSUMPTIONS.md"), "# Assumptions\n\nThe check may be skipped.\n");
      break;
    case "without-proof":
      yield* work();
      rmSync(path.join(taskDir, "artifacts", "report.md"), { force: true });
      break;
    case "lies":
      yield* work();
      write(path.join(own, "broken.txt"), `the answer is ${words}\n`);
      break;
    case "finds":
      writeFileSync(state, read(state).replace(/^## Notes/m, `- The file is not good enough, ${passes}\n\n## Notes`));
      yield;
      set({ "Current result": `Found something, ${passes}`, Phase: "repair" });
      break;
    case "without-promise":
      yield* work();
      said = "All is done, believe me.";
      break;
    case "changes-code":
      yield* work();
      write(path.join(own, "late.txt"), `late work ${passes}\n`);
      break;
    case "blocks":
      set({ Blockers: `The service of ${task} is down`, Phase: "blocked" });
      break;
    case "asks":
      if (words === "person") yield* ask("Which encoding", "", "");
      else yield* ask("Which encoding", "UTF-8", at(new Date(night.now().getTime() + 600_000)));
      break;
    default:
      appendFileSync(ledger("violations"), `no such word: ${planned}\n`);
  }
  yield;
  appendFileSync(ledger("passes"), line("end"));
  return { stdout: sayOf(model, said, call.usageFile), exitCode: 0 };
}

/** test/fake-agents/checks-at-night.sh. */
export function* check(repo: string, task: string): Steps {
  const broken = path.join(repo, task, "broken.txt");
  yield;
  if (existsSync(broken)) return { stdout: read(broken), exitCode: 1 };
  const isRight = read(path.join(repo, task, "work.txt"))
    .split("\n")
    .includes(`work of ${task}`);
  return { exitCode: isRight ? 0 : 1 };
}

function inTrouble(trouble: string, model: string, night: Night): ProgramEnd {
  const [kind, seconds] = trouble.split(" ");
  if (kind === "silent") return { exitCode: 0 };
  const isLimit = kind === "limit";
  if (model !== "claude") {
    const message = isLimit
      ? "exceeded retry limit, last status: 429 Too Many Requests"
      : "unexpected status 401 Unauthorized";
    return { stdout: lines({ type: "turn.failed", error: { message } }), exitCode: 1 };
  }
  const result = { type: "result", subtype: "success", is_error: true };
  if (!isLimit) {
    const why = { api_error_status: 401, api_error_type: "authentication_error", result: "Invalid API key" };
    return { stdout: lines({ ...result, ...why }), exitCode: 1 };
  }
  const resetsAt = Math.floor(night.now().getTime() / 1000) + Number(seconds);
  const event = {
    type: "rate_limit_event",
    rate_limit_info: { status: "rejected", resetsAt, rateLimitType: "five_hour" },
  };
  const why = { api_error_status: 429, api_error: "usage_limit_reached", api_error_type: "rate_limit_error" };
  return { stdout: lines(event, { ...result, ...why, result: "You have hit your 5-hour limit" }), exitCode: 1 };
}

/** A sign of work: a model that hangs without one waits for its provider. */
function sign(model: string): string {
  if (model === "claude") {
    const message = { model: "claude-sonnet-5-5", content: [] };
    return lines({ type: "assistant", message, parent_tool_use_id: null });
  }
  return model === "codex" ? lines({ type: "item.started", item: { type: "command_execution" } }) : "I look at it.\n";
}

/** What the CLI of this model prints at the end of its work. */
function sayOf(model: string, text: string, usageFile: string): string {
  if (model === "claude") {
    return lines({
      ...{ type: "result", subtype: "success", is_error: false, num_turns: 2, total_cost_usd: 0.2 },
      modelUsage: { "claude-sonnet-5-5": { inputTokens: 900, outputTokens: 100 } },
      ...{ result: text, session_id: "e09a83e1" },
    });
  }
  if (model === "codex") {
    return lines(
      { type: "item.completed", item: { type: "agent_message", text } },
      { type: "turn.completed", usage: { input_tokens: 900, output_tokens: 100 } },
    );
  }
  writeFileSync(usageFile, '{"cost_usd": 0.2, "input_tokens": 900, "output_tokens": 100}');
  return `${text}\n`;
}

function lines(...values: readonly object[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join("");
}

function setFields(state: string, fields: Readonly<Record<string, string>>): void {
  let text = read(state);
  for (const [label, value] of Object.entries(fields))
    text = text.replace(new RegExp(`^- ${label}:.*`, "m"), () => `- ${label}: ${value}`);
  writeFileSync(state, text);
}

function read(file: string): string {
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}

function write(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** Without milliseconds, as `date` prints it. */
function at(date: Date): string {
  return date.toISOString().replace(/\.\d+/, "");
}
