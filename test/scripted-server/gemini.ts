import { type Answer, type Api, type HttpFailure, listOf, objectOf, piecesOf, textOf, usage } from "./api.ts";

const errorInfo = "type.googleapis.com/google.rpc.ErrorInfo";
const retryInfo = "type.googleapis.com/google.rpc.RetryInfo";
const quotaFailure = "type.googleapis.com/google.rpc.QuotaFailure";

/** Gemini: `POST …/models/MODEL:generateContent` and `:streamGenerateContent`. */
export const gemini: Api = {
  name: "gemini",
  read(path, body) {
    const call = /\/models\/([^/:]+):(streamGenerateContent|generateContent)$/.exec(path);
    if (call === null) return null;
    const contents = listOf(body.contents);
    const wanted = objectOf(body.generationConfig);
    const schema = wanted.responseJsonSchema ?? wanted.responseSchema;
    return {
      model: call[1] ?? "",
      stream: call[2] === "streamGenerateContent",
      tools: listOf(body.tools)
        .flatMap((tool) => listOf(tool.functionDeclarations))
        .map((tool) => ({ name: String(tool.name), schema: objectOf(tool.parametersJsonSchema ?? tool.parameters) })),
      prompt: contents.flatMap((one) => (one.role === "user" ? [textOf(one.parts)] : [])).join("\n"),
      toolResults: contents.flatMap((one) => listOf(one.parts)).filter((part) => "functionResponse" in part).length,
      jsonSchema: schema === undefined ? null : objectOf(schema),
    };
  },
  fail(failure, resetInS) {
    switch (failure) {
      case "rate_limit": {
        const wait = resetInS === null ? "" : ` Please retry in ${resetInS}s.`;
        const details = resetInS === null ? [] : [{ "@type": retryInfo, retryDelay: `${resetInS}s` }];
        return error(429, "RESOURCE_EXHAUSTED", `Resource has been exhausted (e.g. check quota).${wait}`, details);
      }
      case "plan_limit":
      case "quota":
        return error(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota.", [
          { "@type": quotaFailure, violations: [{ quotaId: "GenerateRequestsPerDayPerProjectPerModel" }] },
        ]);
      case "overloaded":
        return error(503, "UNAVAILABLE", "The model is overloaded. Please try again later.");
      case "auth":
        return error(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.", [
          { "@type": errorInfo, reason: "API_KEY_INVALID", domain: "googleapis.com" },
        ]);
      case "expired":
        return error(400, "INVALID_ARGUMENT", "API key expired. Please renew the API key.", [
          { "@type": errorInfo, reason: "API_KEY_INVALID", domain: "googleapis.com" },
        ]);
      case "unknown_model": {
        const words = "models/model is not found for API version v1beta, or is not supported for generateContent.";
        return error(404, "NOT_FOUND", words);
      }
      case "context": {
        const words = "The input token count (210000) exceeds the maximum number of tokens allowed (200000).";
        return error(400, "INVALID_ARGUMENT", words);
      }
    }
  },
  reply({ model }, answer, serial) {
    // An answer that is empty has a part with nothing in it.
    const parts = answer.text === "" && answer.call === null ? [{ text: "" }] : partsOf(answer);
    const counted = {
      promptTokenCount: usage.fresh + usage.cached,
      cachedContentTokenCount: usage.cached,
      candidatesTokenCount: usage.output,
      totalTokenCount: usage.fresh + usage.cached + usage.output,
    };
    const chunk = (some: readonly object[], isLast: boolean) => ({
      candidates: [{ index: 0, content: { role: "model", parts: some }, ...(isLast ? { finishReason: "STOP" } : {}) }],
      usageMetadata: counted,
      modelVersion: model,
      responseId: `response-${serial}`,
    });
    const streamed = parts.flatMap((part) =>
      "text" in part && part.text !== "" ? piecesOf(String(part.text)).map((text) => ({ text })) : [part],
    );
    return {
      events: streamed.map((part, index) => ({ name: null, data: chunk([part], index === streamed.length - 1) })),
      whole: chunk(parts, true),
    };
  },
};

function partsOf({ text, call }: Answer): object[] {
  const args = call === null ? {} : "input" in call ? call.input : { input: call.text };
  return [...(text === "" ? [] : [{ text }]), ...(call === null ? [] : [{ functionCall: { name: call.name, args } }])];
}

function error(code: number, status: string, message: string, details: readonly object[] = []): HttpFailure {
  return { status: code, headers: {}, body: { error: { code, message, status, details } } };
}
