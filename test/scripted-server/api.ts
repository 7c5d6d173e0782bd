/** What the parts of the scripted server tell one another. */

export interface DeclaredTool {
  readonly name: string;
  /** The JSON Schema of its arguments; null where the tool takes plain text. */
  readonly schema: ToolSchema | null;
}

export interface ToolSchema {
  readonly properties?: Readonly<Record<string, { readonly type?: unknown; readonly enum?: readonly unknown[] }>>;
  readonly required?: readonly string[];
}

/** One request for an answer, whatever API it came by. */
export interface ModelRequest {
  readonly model: string;
  readonly stream: boolean;
  readonly tools: readonly DeclaredTool[];
  /** Everything that the person's side of the conversation says, in order. */
  readonly prompt: string;
  /** How many results of tools the conversation holds: how far the work is. */
  readonly toolResults: number;
  /** The answer must be JSON of this schema, as the CLI's own routers and title makers ask for; else null. */
  readonly jsonSchema: ToolSchema | null;
}

export type ToolCall =
  | { readonly name: string; readonly input: Readonly<Record<string, unknown>> }
  | { readonly name: string; readonly text: string };

/** What the model answers: words, and at most one call of a tool. */
export interface Answer {
  readonly text: string;
  readonly call: ToolCall | null;
}

/**
 * `rate_limit` is too fast for now; `plan_limit` is a subscription's, where the provider has one; `quota` is an empty
 * account; `expired` is a login that was good once; `unknown_model` is a model that the provider does not have.
 */
export type FailureName =
  | "rate_limit"
  | "plan_limit"
  | "quota"
  | "overloaded"
  | "auth"
  | "expired"
  | "unknown_model"
  | "context";

/** An answer with an error status, in the form in which the provider words it. */
export interface HttpFailure {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object;
}

/** One server-sent event; `name` is null where the API gives its events none. */
export interface StreamEvent {
  readonly name: string | null;
  readonly data: object | string;
}

export interface Reply {
  readonly events: readonly StreamEvent[];
  /** The same answer for a caller that does not stream. */
  readonly whole: object;
}

export interface Api {
  readonly name: "anthropic" | "chat" | "responses" | "gemini";
  /** Null where the path is not where this API asks for an answer. */
  readonly read: (path: string, body: Json) => ModelRequest | null;
  /** `resetInS`: seconds until it is better, where the provider says so. */
  readonly fail: (failure: FailureName, resetInS: number | null) => HttpFailure;
  /** `serial` makes the ids of one server differ. */
  readonly reply: (request: ModelRequest, answer: Answer, serial: number) => Reply;
}

/** The tokens of each answer. A test can foretell every sum from them. */
export const usage = { fresh: 1_000, cached: 200, output: 50 } as const;

export type Json = Readonly<Record<string, unknown>>;

/** A JSON object's value, or an empty one: requests are read leniently, and a test sees what was understood. */
export function objectOf(value: unknown): Json {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

export function listOf(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.map(objectOf) : [];
}

/** The text of a message's content: a string, or parts that have a `text`. */
export function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  return listOf(content)
    .map((part) => (typeof part.text === "string" ? part.text : ""))
    .join("\n");
}

/** Pieces as a provider streams them. */
export function piecesOf(text: string): readonly string[] {
  return text.match(/[\s\S]{1,40}/g) ?? [];
}
