import { join } from "node:path";
import { type Action, callFor, fill } from "./actions.ts";
import type { Answer, FailureName, ModelRequest } from "./api.ts";
import { nextStep, type PassPlace, readPrompt } from "./demo-task.ts";

/** What the server does with one request. */
export type Reaction =
  | { readonly kind: "answer"; readonly answer: Answer }
  | { readonly kind: "fail"; readonly failure: FailureName; readonly resetInS: number | null }
  /** Never answers, and keeps the connection. */
  | { readonly kind: "silence" }
  /** Begins the answer and cuts the connection in the middle of it. */
  | { readonly kind: "cut"; readonly answer: Answer };

/** `count`: the requests for work so far, this one included. */
export type Scenario = (request: ModelRequest, count: number) => Reaction;

/** What a tool prints and a model says when it works on a program about limits. */
export const noise = "HTTP 429 Too Many Requests: rate limit exceeded, please try again in 20s";

/** What a model says that wants to be answered. */
export const question = "Should slug() keep accents, or drop them? Tell me which, and I will write it.";

/** Long enough to be cut in the middle, and without a repetition that a CLI would take for a loop. */
const longAnswer = Array.from({ length: 40 }, (_, index) => `Step ${index + 1} looks at part ${7 * index + 3}.`).join(
  " ",
);

/** Every scenario by its name; `resetInS` is for those that are about a limit. */
export const scenarios = {
  /** Does the phase's work on the demo task. */
  task: () => work,
  /** Asks something in prose, where nobody answers, and does nothing. */
  question: () => () => say(question),
  /** Answers, and says nothing. */
  empty: () => () => say(""),
  rate_limit: (resetInS) => always({ kind: "fail", failure: "rate_limit", resetInS }),
  plan_limit: (resetInS) => always({ kind: "fail", failure: "plan_limit", resetInS }),
  quota: () => always({ kind: "fail", failure: "quota", resetInS: null }),
  overloaded: () => always({ kind: "fail", failure: "overloaded", resetInS: null }),
  auth: () => always({ kind: "fail", failure: "auth", resetInS: null }),
  /** A login that ran out. */
  expired: () => always({ kind: "fail", failure: "expired", resetInS: null }),
  unknown_model: () => always({ kind: "fail", failure: "unknown_model", resetInS: null }),
  /** The prompt is longer than the model takes. */
  context: () => always({ kind: "fail", failure: "context", resetInS: null }),
  silence: () => always({ kind: "silence" }),
  /** Cuts each answer, and so each that the CLI asks for again. */
  cut: () => always({ kind: "cut", answer: { text: longAnswer, call: null } }),
  /** Twice too fast, then it works. */
  recovers: () => (request, count) =>
    count <= 2 ? { kind: "fail", failure: "rate_limit", resetInS: 1 } : work(request, count),
  /** Does the work, and every word and output on the way looks like a limit. */
  noisy: () => (request) => {
    const place = readPrompt(request.prompt);
    if (place === null) return say(noise);
    if (request.toolResults === 0) return act(request, { do: "run", command: `echo '${noise}'; exit 1` }, noise);
    const step = nextStep(place, request.toolResults - 1);
    return "says" in step ? say(`${noise}\n\n${step.says}\n\n${noise}`) : act(request, step.action, noise);
  },
  /** Changes the repo, then runs a command that never ends. */
  endless_command: () => (request) => {
    const place = readPrompt(request.prompt);
    const [first, second] = endless(place);
    const action = request.toolResults === 0 ? first : second;
    return action === undefined ? say("There is nothing to do.") : act(request, action);
  },
} as const satisfies Readonly<Record<string, (resetInS: number | null) => Scenario>>;

export type ScenarioName = keyof typeof scenarios;

export function isScenarioName(name: string): name is ScenarioName {
  return Object.hasOwn(scenarios, name);
}

/** The command that ends only with its process. A CLI refuses a bare `sleep`. */
export const endlessCommand = "tail -f /dev/null";

function endless(place: PassPlace | null): readonly Action[] {
  if (place === null) return [];
  return [
    { do: "write", path: join(place.repo, "half.txt"), text: "half of the work\n" },
    { do: "run", command: endlessCommand },
  ];
}

function work(request: ModelRequest, _count: number): Reaction {
  const place = readPrompt(request.prompt);
  if (place === null) return say("Ready.");
  const step = nextStep(place, request.toolResults);
  return "says" in step ? say(step.says) : act(request, step.action);
}

/** Titles, routes and the like, which a CLI asks for beside the work: they have no tools. */
export function answerAside(request: ModelRequest): Answer | null {
  if (request.jsonSchema !== null) return { text: JSON.stringify(fill(request.jsonSchema)), call: null };
  return request.tools.length === 0 ? { text: "A short title", call: null } : null;
}

function always(reaction: Reaction): Scenario {
  return () => reaction;
}

function say(text: string): Reaction {
  return { kind: "answer", answer: { text, call: null } };
}

function act(request: ModelRequest, action: Action, words = "I go on."): Reaction {
  const call = callFor(action, request.tools);
  if (call === null) return say(`There is no tool here with which I could ${action.do}.`);
  return { kind: "answer", answer: { text: words, call } };
}
