import type { GitPlace } from "../git/place.ts";
import type { AheadTask, RootView } from "../queue/views/root-view.ts";
import type { ExitName } from "../text/exit-codes.ts";
import type { Finding } from "../text/finding.ts";
import type { FlagValues } from "./flag-values.ts";
import type { InputStream, Io, LiveText } from "./io.ts";
import type { Line } from "./paint.ts";

export interface CommandContext extends Omit<Io, "stdout" | "stderr" | "stdin"> {
  readonly flags: FlagValues;
  readonly home: string;
  readonly verbose: boolean;
  /** The tasks that are newer on their branches; missing: none was looked for. */
  readonly view?: RootView;
  /** As for `InspectPorts`. */
  readonly clonesRoot?: string;
  /** The folder that the call is about is a copy of what a branch of `tree` has. */
  readonly ahead?: Pick<AheadTask, "ref" | "commit" | "note"> & { readonly tree: GitPlace; readonly tasksRoot: string };
  /** Standard input, looked at when it is asked for. */
  readonly stdin: InputStream;
  /** Prints one event of the story to stderr at once. Nothing under --quiet. */
  tell(line: Line): void;
  /** What is at the bottom of a terminal until the next takes its place, or null clears it. */
  show(text: LiveText): void;
  readonly live: boolean;
}

/** A long list, made only if it is printed, one item after the other. */
export type Listing<Item> = () => Promise<Iterable<Item>>;

export interface CommandResult {
  readonly exitName: ExitName;
  /** Keys of the JSON object, beside command, exit_code, exit_name and findings. A function is a Listing. */
  readonly json: Readonly<Record<string, unknown>>;
  /** Lines for people, on stderr; default: none. */
  readonly story?: readonly Line[];
  /** The answer, on stdout; not with --json. */
  readonly answer: readonly Line[] | Listing<Line>;
  readonly findings: readonly Finding[];
  /** What goes to stderr; default `all`. Less is for a call with nothing to do, as cron makes them. */
  readonly tells?: "all" | "errors" | "nothing";
  /** Findings that stderr has already. */
  readonly told?: readonly Finding[];
}

export type RunCommand = (context: CommandContext) => Promise<CommandResult>;
