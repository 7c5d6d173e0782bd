import { type Api, type Json, listOf, objectOf, textOf } from "./api.ts";

/** What a client of an API understands of an answer. */
export interface Heard {
  readonly text: string;
  readonly call: { readonly name: unknown; readonly input: unknown } | null;
  readonly output: unknown;
}

export interface Question {
  readonly prompt: string;
  readonly stream: boolean;
  readonly tools?: readonly { readonly name: string; readonly schema: object }[];
  readonly toolResults?: number;
}

/** The smallest client of each API: how it asks, and how it puts an answer together from a stream. */
export interface ApiClient {
  readonly path: (stream: boolean) => string;
  readonly body: (question: Question) => object;
  readonly hear: (events: readonly Json[]) => Heard;
}

const results = ({ toolResults = 0 }: Question, make: (index: number) => object): object[] =>
  Array.from({ length: toolResults }, (_, index) => make(index));

export const clients: Readonly<Record<Api["name"], ApiClient>> = {
  anthropic: {
    path: () => "/v1/messages",
    body: (question) => ({
      model: "m",
      stream: question.stream,
      tools: question.tools?.map(({ name, schema }) => ({ name, input_schema: schema })),
      messages: [
        { role: "user", content: question.prompt },
        ...results(question, (index) => ({
          role: "user",
          content: [{ type: "tool_result", tool_use_id: `t${index}`, content: "done" }],
        })),
      ],
    }),
    hear(events) {
      const deltas = events.map((event) => objectOf(event.delta));
      const begun = events.map((event) => objectOf(event.content_block)).find((block) => block.type === "tool_use");
      const input = deltas.map((delta) => (delta.type === "input_json_delta" ? delta.partial_json : "")).join("");
      return {
        text: deltas.map((delta) => (delta.type === "text_delta" ? delta.text : "")).join(""),
        call: begun === undefined ? null : { name: begun.name, input: JSON.parse(input) },
        output: events.map((event) => objectOf(event.usage).output_tokens).findLast((count) => count !== undefined),
      };
    },
  },
  chat: {
    path: () => "/v1/chat/completions",
    body: (question) => ({
      model: "m",
      stream: question.stream,
      tools: question.tools?.map(({ name, schema }) => ({ type: "function", function: { name, parameters: schema } })),
      messages: [
        { role: "user", content: [{ type: "text", text: question.prompt }] },
        ...results(question, (index) => ({ role: "tool", tool_call_id: `t${index}`, content: "done" })),
      ],
    }),
    hear(events) {
      const deltas = events.flatMap((event) => listOf(event.choices)).map((choice) => objectOf(choice.delta));
      const call = deltas.flatMap((delta) => listOf(delta.tool_calls)).map((one) => objectOf(one.function))[0];
      return {
        text: deltas.map((delta) => delta.content ?? "").join(""),
        call: call === undefined ? null : { name: call.name, input: JSON.parse(String(call.arguments)) },
        output: events.map((event) => objectOf(event.usage).completion_tokens).findLast((count) => count !== undefined),
      };
    },
  },
  responses: {
    path: () => "/v1/responses",
    body: (question) => ({
      model: "m",
      stream: question.stream,
      tools: question.tools?.map(({ name, schema }) => ({ type: "function", name, parameters: schema })),
      input: [
        { type: "message", role: "user", content: [{ type: "input_text", text: question.prompt }] },
        ...results(question, (index) => ({ type: "function_call_output", call_id: `t${index}`, output: "done" })),
      ],
    }),
    hear(events) {
      const last = objectOf(events.at(-1)?.response);
      const call = listOf(last.output).find((item) => item.type === "function_call");
      return {
        text: events.map((event) => (event.type === "response.output_text.delta" ? event.delta : "")).join(""),
        call: call === undefined ? null : { name: call.name, input: JSON.parse(String(call.arguments)) },
        output: objectOf(last.usage).output_tokens,
      };
    },
  },
  gemini: {
    path: (stream) => `/v1beta/models/m:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
    body: (question) => ({
      tools: [{ functionDeclarations: question.tools?.map(({ name, schema }) => ({ name, parameters: schema })) }],
      contents: [
        { role: "user", parts: [{ text: question.prompt }] },
        ...results(question, () => ({ role: "user", parts: [{ functionResponse: { name: "t", response: {} } }] })),
      ],
    }),
    hear(events) {
      const parts = events
        .flatMap((event) => listOf(event.candidates))
        .flatMap((candidate) => listOf(objectOf(candidate.content).parts));
      const call = parts.map((part) => part.functionCall).find((one) => one !== undefined);
      return {
        text: parts.map((part) => part.text ?? "").join(""),
        call: call === undefined ? null : { name: objectOf(call).name, input: objectOf(call).args },
        output: objectOf(events.at(-1)?.usageMetadata).candidatesTokenCount,
      };
    },
  },
};

/** The JSON events of a stream. */
export function eventsIn(stream: string): Json[] {
  return [...stream.matchAll(/^data: (\{.*\})$/gm)].map((match) => objectOf(JSON.parse(match[1] ?? "")));
}

/** All the text of an answer that was not streamed, wherever its API puts it. */
export function textIn(name: Api["name"], whole: Json): string {
  switch (name) {
    case "anthropic":
      return textOf(whole.content);
    case "chat":
      return String(objectOf(listOf(whole.choices)[0]?.message).content);
    case "responses":
      return textOf(listOf(whole.output)[0]?.content);
    case "gemini":
      return textOf(objectOf(listOf(whole.candidates)[0]?.content).parts);
  }
}
