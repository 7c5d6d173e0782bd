import { type Answer, type Api, listOf, objectOf, piecesOf, textOf, usage } from "./api.ts";
import { openaiFailure } from "./openai-failure.ts";

/** OpenAI Chat Completions: `POST /v1/chat/completions`. */
export const chat: Api = {
  name: "chat",
  read(path, body) {
    if (!path.endsWith("/chat/completions")) return null;
    const messages = listOf(body.messages);
    return {
      model: String(body.model),
      stream: body.stream === true,
      tools: listOf(body.tools)
        .map((tool) => objectOf(tool.function))
        .map((tool) => ({ name: String(tool.name), schema: objectOf(tool.parameters) })),
      prompt: messages.flatMap((one) => (one.role === "user" ? [textOf(one.content)] : [])).join("\n"),
      toolResults: messages.filter((one) => one.role === "tool").length,
      jsonSchema: null,
    };
  },
  fail: openaiFailure,
  reply({ model }, answer, serial) {
    const head = { id: `chatcmpl-${serial}`, created: Math.floor(Date.now() / 1_000), model };
    const calls = callsOf(answer, serial);
    const finish = calls === null ? "stop" : "tool_calls";
    const counted = {
      prompt_tokens: usage.fresh + usage.cached,
      completion_tokens: usage.output,
      total_tokens: usage.fresh + usage.cached + usage.output,
      prompt_tokens_details: { cached_tokens: usage.cached },
    };
    const chunk = (delta: object, reason: string | null = null) => ({
      name: null,
      data: { ...head, object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: reason }] },
    });
    const message = { role: "assistant", content: answer.text, ...(calls === null ? {} : { tool_calls: calls }) };
    return {
      events: [
        chunk({ role: "assistant", content: "" }),
        ...piecesOf(answer.text).map((content) => chunk({ content })),
        ...(calls === null ? [] : [chunk({ tool_calls: calls })]),
        chunk({}, finish),
        { name: null, data: { ...head, object: "chat.completion.chunk", choices: [], usage: counted } },
        { name: null, data: "[DONE]" },
      ],
      whole: {
        ...head,
        object: "chat.completion",
        choices: [{ index: 0, message, finish_reason: finish }],
        usage: counted,
      },
    };
  },
};

function callsOf({ call }: Answer, serial: number): object[] | null {
  if (call === null) return null;
  const input = "input" in call ? JSON.stringify(call.input) : call.text;
  return [{ index: 0, id: `call_${serial}`, type: "function", function: { name: call.name, arguments: input } }];
}
