import {
  type Answer,
  type Api,
  type DeclaredTool,
  type Json,
  listOf,
  objectOf,
  piecesOf,
  type StreamEvent,
  textOf,
  usage,
} from "./api.ts";
import { openaiFailure } from "./openai-failure.ts";

/** OpenAI Responses: `POST /v1/responses`. */
export const responses: Api = {
  name: "responses",
  read(path, body) {
    if (!path.endsWith("/responses")) return null;
    const input = listOf(body.input);
    const format = objectOf(objectOf(body.text).format);
    return {
      model: String(body.model),
      stream: body.stream === true,
      tools: listOf(body.tools).flatMap(toolsIn),
      prompt:
        typeof body.input === "string"
          ? body.input
          : input.flatMap((one) => (one.role === "user" ? [textOf(one.content)] : [])).join("\n"),
      toolResults: input.filter((one) => String(one.type).endsWith("_call_output")).length,
      jsonSchema: format.type === "json_schema" ? objectOf(format.schema) : null,
    };
  },
  fail: openaiFailure,
  reply({ model }, answer, serial) {
    const output = itemsOf(answer, serial);
    const begun = {
      id: `resp_${serial}`,
      object: "response",
      created_at: Math.floor(Date.now() / 1_000),
      model,
      error: null,
      incomplete_details: null,
      parallel_tool_calls: true,
      tools: [],
    };
    const counted = {
      input_tokens: usage.fresh + usage.cached,
      input_tokens_details: { cached_tokens: usage.cached },
      output_tokens: usage.output,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: usage.fresh + usage.cached + usage.output,
    };
    const whole = { ...begun, status: "completed", output, usage: counted };
    const events = [
      event("response.created", { response: { ...begun, status: "in_progress", output: [], usage: null } }),
      ...output.flatMap(itemEvents),
      event("response.completed", { response: whole }),
    ];
    return { events: events.map(numbered), whole };
  },
};

/** Tools stand alone or in groups; one without a schema takes plain text. */
function toolsIn(tool: Json): DeclaredTool[] {
  if (tool.type === "namespace") return listOf(tool.tools).flatMap(toolsIn);
  const schema = tool.type === "custom" ? null : objectOf(tool.parameters);
  return [{ name: String(tool.name ?? tool.type), schema }];
}

function itemsOf({ text, call }: Answer, serial: number): Json[] {
  const content = [{ type: "output_text", text, annotations: [] }];
  const message = { type: "message", id: `msg_${serial}`, status: "completed", role: "assistant", content };
  return [...(text === "" ? [] : [message]), ...(call === null ? [] : [callItem(call, serial)])];
}

function callItem(call: NonNullable<Answer["call"]>, serial: number): Json {
  const shared = { id: `item_${serial}`, status: "completed", call_id: `call_${serial}`, name: call.name };
  if ("text" in call) return { ...shared, type: "custom_tool_call", input: call.text };
  return { ...shared, type: "function_call", arguments: JSON.stringify(call.input) };
}

function itemEvents(item: Json, index: number): StreamEvent[] {
  const at = { item_id: item.id, output_index: index };
  const pieces = item.type === "message" ? piecesOf(textOf(item.content)) : [];
  const empty =
    item.type === "message" ? { content: [] } : item.type === "function_call" ? { arguments: "" } : { input: "" };
  return [
    event("response.output_item.added", { output_index: index, item: { ...item, ...empty, status: "in_progress" } }),
    ...pieces.map((delta) => event("response.output_text.delta", { ...at, content_index: 0, delta })),
    event("response.output_item.done", { output_index: index, item }),
  ];
}

function event(type: string, rest: object): StreamEvent {
  return { name: type, data: { type, ...rest } };
}

function numbered({ name, data }: StreamEvent, index: number): StreamEvent {
  return { name, data: { ...objectOf(data), sequence_number: index } };
}
