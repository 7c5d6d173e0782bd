import { applyEdits, modify } from "jsonc-parser";
import { dataError, messageOf } from "../../text/errors.ts";
import { asObject, isObject, type JsonObject } from "../../text/json-object.ts";

/** Where an agent CLI reads the hooks of one repo; both files have the same form. */
export const hookFiles = { claude: ".claude/settings.json", codex: ".codex/hooks.json" } as const;

const command = "task-phase prove --hook";
/** Seconds: more than the hook gives a proof, so that it is the hook that says why a session is let go. */
const timeout = 75;
const stopHook = { hooks: [{ type: "command", command, timeout }] };

/** What a file with nothing else holds. */
export const onlyStopHook = `${JSON.stringify({ hooks: { Stop: [stopHook] } }, null, 2)}\n`;

/**
 * The text of such a file with the Stop hook added, and every byte outside of that list as it was; null if it has it. A data
 * error if the text is not JSON of that form.
 */
export function addStopHook(text: string, file: string): string | null {
  const stop = readStop(text, file);
  if (hasHook(stop)) return null;
  const indent = /^([ \t]+)"/m.exec(text)?.[1] ?? "  ";
  const formattingOptions = {
    insertSpaces: !indent.startsWith("\t"),
    tabSize: indent.length,
    eol: text.includes("\r\n") ? "\r\n" : "\n",
  };
  const at = ["hooks", "Stop", stop.length];
  const edited = applyEdits(text, modify(text, at, stopHook, { formattingOptions, isArrayInsertion: true }));
  if (hasHook(readStop(edited, file))) return edited;
  // It is edited at one place, and read at the other.
  throw notOurs(file, "it has a key twice");
}

function readStop(text: string, file: string): readonly unknown[] {
  const { hooks = {} } = parseSettings(text, file);
  const { Stop: stop = [] } = asObject(hooks) ?? {};
  if (isObject(hooks) && Array.isArray(stop)) return stop;
  throw notOurs(file, "hooks.Stop is not a list in a map");
}

function hasHook(stop: readonly unknown[]): boolean {
  const commands = stop.flatMap((entry) => asObject(entry)?.hooks ?? []).map((hook) => asObject(hook)?.command);
  return commands.some((one) => typeof one === "string" && one.includes(command));
}

function parseSettings(text: string, file: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch (error) {
    throw notOurs(file, `it is not JSON: ${messageOf(error)}`);
  }
  throw notOurs(file, "it is not a map");
}

function notOurs(file: string, problem: string): Error {
  return dataError("TP_INIT_HOOK", `the Stop hook cannot be added: ${problem}`, {
    file,
    fix: "correct the file, or add the hook by hand: docs/hooks.md has it",
  });
}
