import type { FailureName, HttpFailure } from "./api.ts";

/** How both of OpenAI's APIs word a failure. */
export function openaiFailure(failure: FailureName, resetInS: number | null): HttpFailure {
  switch (failure) {
    case "rate_limit": {
      const wait = resetInS === null ? "" : ` Please try again in ${resetInS}s.`;
      const headers = resetInS === null ? {} : { "retry-after": String(resetInS) };
      return error(429, `Rate limit reached for requests.${wait}`, "requests", "rate_limit_exceeded", headers);
    }
    case "plan_limit": {
      const resets = resetInS === null ? {} : { resets_at: Math.floor(Date.now() / 1_000) + resetInS };
      const limit = { type: "usage_limit_reached", message: "The usage limit has been reached", plan_type: "plus" };
      return { status: 429, headers: {}, body: { error: { ...limit, ...resets } } };
    }
    case "quota":
      return error(429, "You exceeded your current quota.", "insufficient_quota", "insufficient_quota");
    case "overloaded":
      return error(503, "The server is currently overloaded.", "server_error", "server_is_overloaded");
    case "auth":
      return error(401, "Incorrect API key provided: dummy.", "invalid_request_error", "invalid_api_key");
    case "expired":
      return error(
        401,
        "Provided authentication token is expired. Please try signing in again.",
        null,
        "token_expired",
      );
    case "unknown_model": {
      const words = "The model `model` does not exist or you do not have access to it.";
      return error(404, words, "invalid_request_error", "model_not_found");
    }
    case "context": {
      const words =
        "This model's maximum context length is 200000 tokens. However, your messages resulted in 210000 tokens.";
      return error(400, words, "invalid_request_error", "context_length_exceeded");
    }
  }
}

function error(
  status: number,
  message: string,
  type: string | null,
  code: string,
  headers: HttpFailure["headers"] = {},
): HttpFailure {
  return { status, headers, body: { error: { message, type, param: null, code } } };
}
