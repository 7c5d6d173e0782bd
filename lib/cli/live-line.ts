import type { BegunPass, PassPorts, StageName } from "../anchor/ports.ts";
import { dollars } from "../machine/spend.ts";
import { fitCells } from "../text/cells.ts";
import { formatDuration } from "../text/duration.ts";
import { openLastLine } from "../text/last-line.ts";
import { createRedactor } from "../text/redact.ts";
import { escapeForTerminal } from "../text/shorten.ts";
import type { CommandContext } from "./command.ts";
import type { OutputStream } from "./io.ts";

/** One line at the bottom of a terminal that is written over in place. */
export interface LiveLine {
  /** Null takes it away. */
  show(text: string | null): void;
  /** Takes it away for what is printed next. */
  clear(): void;
  /** Puts it back below what was printed. */
  again(): void;
}

const eraseLine = "\r\u001b[2K";
const narrow = 80;

export function liveLine(stream: OutputStream & { readonly columns?: number }): LiveLine {
  let shown: string | null = null;
  const write = (text: string | null) => {
    stream.write(text === null ? eraseLine : `${eraseLine}${fit(text, widthOf(stream.columns))}`);
  };
  return {
    show(text) {
      if (shown === null && text === null) return;
      shown = text;
      write(text);
    },
    clear() {
      if (shown !== null) write(null);
    },
    again() {
      if (shown !== null) write(shown);
    },
  };
}

/** A terminal that does not know its width says 0. */
function widthOf(columns: number | undefined): number {
  return columns === undefined || columns === 0 ? narrow : columns;
}

/** A line that wraps could not be taken away again. */
function fit(text: string, columns: number): string {
  return fitCells(escapeForTerminal(text.replace(/\s/g, " ")), Math.max(columns - 1, 1));
}

/** A line at the bottom of the terminal that says what a pass does, or what is waited for. */
export interface LivePass {
  /** Empty if nothing displays progress. */
  readonly ports: Pick<PassPorts, "live">;
  /** In the place of a pass until the next one begins. */
  say(text: string): void;
  /** Takes the line away until the next progress. */
  stop(): void;
}

const tickMs = 1000;

export function livePass(context: CommandContext): LivePass {
  if (!context.live) return { ports: {}, say() {}, stop() {} };
  const redactor = createRedactor(context.env);
  let timer: NodeJS.Timeout | undefined;
  let pass: BegunPass | null = null;
  let stage: StageName = "PLAN";
  let since = context.now();
  let names: readonly string[] = [];
  let said = openLastLine(redactor);
  let text = (): string => "";
  /** What takes less than a second does not flicker by. */
  const begin = (describe: () => string): void => {
    text = describe;
    timer ??= setInterval(() => context.show(text()), tickMs).unref();
  };
  const describe = (): string => {
    const elapsedMs = context.now().getTime() - since.getTime();
    return [...describePass(pass), describeWork(stage, names), formatTick(elapsedMs), said.read()]
      .filter((part) => part !== "")
      .join("  ");
  };
  return {
    ports: {
      live: {
        entered(next) {
          stage = next;
          since = context.now();
          names = [];
          said = openLastLine(redactor);
          begin(describe);
        },
        planned(begun) {
          pass = begun;
        },
        running(now) {
          names = now;
          if (now.length > 0) context.show(describe());
        },
        heard(piece) {
          said.add(piece);
        },
      },
    },
    say(words) {
      begin(() => words);
      context.show(words);
    },
    stop() {
      clearInterval(timer);
      timer = undefined;
      pass = null;
      context.show(null);
    },
  };
}

function describePass(pass: BegunPass | null): string[] {
  if (pass === null) return [];
  const { task, phase, pass: number, spentUsd } = pass;
  return [task, phase, `pass ${number}`, ...(spentUsd === null ? [] : [`${dollars(spentUsd)} so far`])];
}

function describeWork(stage: StageName, names: readonly string[]): string {
  return names.length === 0 ? stage : `${stage} ${names.join(", ")}`;
}

function formatTick(ms: number): string {
  return ms < tickMs ? "0s" : formatDuration(Math.floor(ms / tickMs) * tickMs);
}
