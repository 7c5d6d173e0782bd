import {
  type Answer,
  type Api,
  type HttpFailure,
  listOf,
  objectOf,
  piecesOf,
  type StreamEvent,
  textOf,
  usage,
} from "./api.ts";

/** Anthropic Messages: `POST /v1/messages`. */
export const anthropic: Api = {
  name: "anthropic",
  read(path, body) {
    if (!path.endsWith("/messages")) return null;
    const messages = listOf(body.messages);
    return {
      model: String(body.model),
      stream: body.stream === true,
      tools: listOf(body.tools).flatMap((tool) =>
        tool.input_schema === undefined ? [] : [{ name: String(tool.name), schema: objectOf(tool.input_schema) }],
      ),
      prompt: messages.flatMap((one) => (one.role === "user" ? [textOf(one.content)] : [])).join("\n"),
      toolResults: messages.flatMap((one) => listOf(one.content)).filter((part) => part.type === "tool_result").length,
      jsonSchema: null,
    };
  },
  fail(failure, resetInS) {
    const retryAfter = resetInS === null ? {} : { "retry-after": String(resetInS) };
    switch (failure) {
      case "rate_limit":
        return error(429, "rate_limit_error", "Number of request tokens has exceeded your rate limit.", retryAfter);
      case "plan_limit":
        return error(429, "rate_limit_error", "This request would exceed your account's rate limit.", {
          ...retryAfter,
          ...(resetInS === null ? {} : unifiedLimit(resetInS)),
        });
      case "quota":
        return error(400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API.");
      case "overloaded":
        return error(529, "overloaded_error", "Overloaded");
      case "auth":
        return error(401, "authentication_error", "invalid x-api-key");
      case "expired":
        return error(401, "authentication_error", "OAuth access token has expired.");
      case "unknown_model":
        return error(404, "not_found_error", "model: sonnet");
      case "context":
        return error(400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum");
    }
  },
  reply({ model }, answer, serial) {
    const content = blocksOf(answer, serial);
    const stop = answer.call === null ? "end_turn" : "tool_use";
    const counted = {
      input_tokens: usage.fresh,
      cache_read_input_tokens: usage.cached,
      cache_creation_input_tokens: 0,
    };
    const message = { id: `msg_${serial}`, type: "message", role: "assistant", model, stop_sequence: null };
    const start = { ...message, content: [], stop_reason: null, usage: { ...counted, output_tokens: 1 } };
    const last = { delta: { stop_reason: stop, stop_sequence: null }, usage: { output_tokens: usage.output } };
    return {
      events: [
        event("message_start", { message: start }),
        ...content.flatMap(blockEvents),
        event("message_delta", last),
        event("message_stop", {}),
      ],
      whole: { ...message, content, stop_reason: stop, usage: { ...counted, output_tokens: usage.output } },
    };
  },
};

function blocksOf({ text, call }: Answer, serial: number): object[] {
  const input = call === null ? {} : "input" in call ? call.input : { input: call.text };
  return [
    ...(text === "" ? [] : [{ type: "text", text }]),
    ...(call === null ? [] : [{ type: "tool_use", id: `toolu_${serial}`, name: call.name, input }]),
  ];
}

function blockEvents(block: object, index: number): StreamEvent[] {
  const isText = "text" in block;
  const deltas = isText
    ? piecesOf(String(block.text)).map((text) => ({ type: "text_delta", text }))
    : [{ type: "input_json_delta", partial_json: JSON.stringify(objectOf(block).input) }];
  return [
    event("content_block_start", { index, content_block: { ...block, ...(isText ? { text: "" } : { input: {} }) } }),
    ...deltas.map((delta) => event("content_block_delta", { index, delta })),
    event("content_block_stop", { index }),
  ];
}

function event(type: string, rest: object): StreamEvent {
  return { name: type, data: { type, ...rest } };
}

function error(status: number, type: string, message: string, headers: HttpFailure["headers"] = {}): HttpFailure {
  return { status, headers, body: { type: "error", error: { type, message }, request_id: "req_scripted" } };
}

/** The headers by which a subscription's limit says when it ends. */
function unifiedLimit(resetInS: number): HttpFailure["headers"] {
  const reset = String(Math.floor(Date.now() / 1_000) + resetInS);
  return {
    "x-should-retry": "false",
    "anthropic-ratelimit-unified-status": "rejected",
    "anthropic-ratelimit-unified-reset": reset,
    "anthropic-ratelimit-unified-representative-claim": "five_hour",
    "anthropic-ratelimit-unified-5h-status": "rejected",
    "anthropic-ratelimit-unified-5h-reset": reset,
  };
}
