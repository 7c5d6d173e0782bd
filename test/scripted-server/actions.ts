import type { DeclaredTool, ToolCall, ToolSchema } from "./api.ts";

/** What the scripted model wants to do. How it is done depends on the tools that the CLI declared. */
export type Action =
  | { readonly do: "read"; readonly path: string }
  | { readonly do: "write"; readonly path: string; readonly text: string }
  | { readonly do: "run"; readonly command: string };

const readers = ["read", "read_file"];
const writers = ["write", "write_file"];
const shells = ["bash", "run_shell_command", "exec_command", "shell_command", "shell"];

/** The call of a declared tool that does it; null where the CLI declared none that can. */
export function callFor(action: Action, tools: readonly DeclaredTool[]): ToolCall | null {
  const tool = action.do === "run" ? null : find(tools, action.do === "read" ? readers : writers);
  if (tool === null || action.do === "run") return shellCall(commandFor(action), tools);
  return {
    name: tool.name,
    input: fill(tool.schema, { path: action.path, text: "text" in action ? action.text : "" }),
  };
}

function shellCall(command: string, tools: readonly DeclaredTool[]): ToolCall | null {
  const shell = find(tools, shells);
  if (shell !== null) return { name: shell.name, input: fill(shell.schema, { command }) };
  // One CLI wraps its tools in cells of JavaScript.
  const cell = tools.find((tool) => tool.schema === null && tool.name === "exec");
  if (cell === undefined) return null;
  const code = `text(JSON.stringify(await tools.exec_command({ cmd: ${JSON.stringify(command)} })));\n`;
  return { name: cell.name, text: code };
}

function commandFor(action: Action): string {
  switch (action.do) {
    case "run":
      return action.command;
    case "read":
      return `cat ${quote(action.path)}`;
    case "write":
      return `mkdir -p "$(dirname ${quote(action.path)})" && cat > ${quote(action.path)} <<'END_OF_FILE'\n${action.text}END_OF_FILE`;
  }
}

function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

/** Names differ in case between CLIs, and some put a group before them. */
function find(tools: readonly DeclaredTool[], names: readonly string[]): DeclaredTool | null {
  const bare = (tool: DeclaredTool) => tool.name.toLowerCase().replace(/^.*[.:]/, "");
  for (const name of names) {
    const tool = tools.find((one) => bare(one) === name);
    if (tool !== undefined) return tool;
  }
  return null;
}

interface Values {
  readonly path?: string;
  readonly text?: string;
  readonly command?: string;
}

const paths = ["path", "file_path", "filepath", "absolute_path"];
const texts = ["content", "contents", "text", "file_text"];
const commands = ["command", "cmd"];

/** Arguments that fit the schema: the values under the names that it has for them, and something for what it requires. */
export function fill(schema: ToolSchema | null, values: Values = {}): Record<string, unknown> {
  const required = schema?.required ?? [];
  return Object.fromEntries(
    Object.entries(schema?.properties ?? {}).flatMap(([name, property]): [string, unknown][] => {
      const key = name.toLowerCase();
      if (paths.includes(key) && values.path !== undefined) return [[name, values.path]];
      if (texts.includes(key) && values.text !== undefined) return [[name, values.text]];
      if (commands.includes(key) && values.command !== undefined) {
        return [[name, property.type === "array" ? ["bash", "-c", values.command] : values.command]];
      }
      return required.includes(name) ? [[name, something(property)]] : [];
    }),
  );
}

function something(property: { readonly type?: unknown; readonly enum?: readonly unknown[] }): unknown {
  if (property.enum !== undefined) return property.enum[0];
  switch (property.type) {
    case "boolean":
      return false;
    case "integer":
    case "number":
      return 1;
    case "array":
      return [];
    case "object":
      return {};
    default:
      return "scripted";
  }
}
