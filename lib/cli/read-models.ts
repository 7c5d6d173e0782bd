import { usageError } from "../report/errors.ts";
import type { PassRequest } from "../task/request.ts";
import { shorten } from "../text/shorten.ts";
import type { CommandContext } from "./command.ts";

export type NamedModels = Pick<PassRequest, "model" | "models">;

/** `--model` or `--models`; neither: those of the configuration. */
export function readModels({ flags }: CommandContext): NamedModels {
  const model = flags.text("model");
  const list = flags.text("models");
  if (list === null) return { model, models: null };
  if (model !== null) {
    throw usageError("TP_USAGE_TWO_MODELS", "--model and --models cannot be combined", { fix: "omit one of them" });
  }
  const names = list
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  if (names.length > 0) return { model, models: names };
  throw usageError("TP_USAGE_BAD_VALUE", `--models expects names of models, found '${shorten(list)}'`, {
    fix: "write --models NAME,NAME",
  });
}
