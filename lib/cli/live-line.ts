import { dollars } from "../rules/spend.ts";
import type { BegunPass, PassPorts, StageName } from "../task/records/ports.ts";
import { fitCells } from "../text/cells.ts";
import { formatDuration } from "../text/duration.ts";
import { openLastLine } from "../text/last-line.ts";
import { msBetween } from "../text/moment.ts";
import { createRedactor } from "../text/redact.ts";
import { escapeForTerminal } from "../text/shorten.ts";
import type { CommandContext } from "./command.ts";
import type { LiveText, OutputStream } from "./io.ts";

const eraseLine = "\r\u001b[2K";
const eraseAbove = "\u001b[1A\u001b[2K";
const narrow = 80;
const low = 24;

/** Lines at the bottom of a terminal that are written over in place: one, or one a job. */
export function liveLine(stream: OutputStream & { readonly columns?: number; readonly rows?: number }) {
  let shown: readonly string[] = [];
  /** The cursor is in the last of them. */
  let drawn = 0;
  const write = (lines: readonly string[]) => {
    const erase = eraseLine + eraseAbove.repeat(Math.max(drawn - 1, 0));
    const width = sizeOf(stream.columns, narrow);
    const kept = firstLines(lines, sizeOf(stream.rows, low) - 1);
    drawn = kept.length;
    stream.write(erase + kept.map((line) => fit(line, width)).join("\n"));
  };
  return {
    /** Null takes them away. */
    show(text: LiveText): void {
      const lines = text === null ? [] : typeof text === "string" ? [text] : text;
      if (shown.length === 0 && lines.length === 0) return;
      shown = lines;
      write(lines);
    },
    /** Takes them away for what is printed next. */
    clear(): void {
      if (shown.length > 0) write([]);
    },
    /** Puts them back below what was printed. */
    again(): void {
      if (shown.length > 0) write(shown);
    },
  };
}

/** What scrolls out of the terminal could not be taken away again. */
function firstLines(lines: readonly string[], most: number): readonly string[] {
  if (lines.length <= Math.max(most, 1)) return lines;
  const kept = lines.slice(0, Math.max(most - 1, 0));
  return [...kept, `and ${lines.length - kept.length} more`];
}

/** A terminal that does not know its size says 0. */
function sizeOf(known: number | undefined, assumed: number): number {
  return known === undefined || known === 0 ? assumed : known;
}

/** A line that wraps could not be taken away again. */
function fit(text: string, columns: number): string {
  return fitCells(escapeForTerminal(text.replace(/\s/g, " ")), Math.max(columns - 1, 1));
}

/** What a pass does, at the bottom of the terminal; of several passes a line each. */
export interface LivePass {
  /** Of one pass alone. Empty if nothing displays progress. */
  readonly ports: Pick<PassPorts, "live">;
  /** Of one of several: its line begins with the name until its task is known, and goes with `over`. */
  of(name: string): { readonly ports: Pick<PassPorts, "live">; over(): void };
  /** In the place of all passes until the next one begins. */
  say(text: string): void;
  /** Takes all away until the next progress. */
  stop(): void;
}

const tickMs = 1000;

export function livePass(context: CommandContext): LivePass {
  if (!context.live) return { ports: {}, of: () => ({ ports: {}, over() {} }), say() {}, stop() {} };
  const rows = new Map<string, () => string>();
  let timer: NodeJS.Timeout | undefined;
  const draw = (): void => {
    const [first = null, ...rest] = [...rows.values()].map((render) => render());
    context.show(first === null || rest.length === 0 ? first : [first, ...rest]);
  };
  /** What takes less than a second does not flicker by. */
  const begin = (name: string, render: () => string): void => {
    rows.set(name, render);
    timer ??= setInterval(draw, tickMs).unref();
  };
  const stop = (): void => {
    clearInterval(timer);
    timer = undefined;
    rows.clear();
    context.show(null);
  };
  const portsOf = (name: string) => ({
    live: followPass(context, name, {
      isBegun: () => rows.has(name),
      begin: (render) => begin(name, render),
      draw,
    }),
  });
  return {
    ports: portsOf(""),
    of: (name) => ({
      ports: portsOf(name),
      over() {
        if (!rows.delete(name)) return;
        if (rows.size === 0) stop();
        else draw();
      },
    }),
    say(words) {
      rows.clear();
      begin("", () => words);
      draw();
    },
    stop,
  };
}

interface Row {
  isBegun(): boolean;
  begin(render: () => string): void;
  draw(): void;
}

function followPass({ env, now }: CommandContext, name: string, row: Row): NonNullable<PassPorts["live"]> {
  const redactor = createRedactor(env);
  let pass: BegunPass | null = null;
  let stage: StageName = "PLAN";
  let since = now();
  let names: readonly string[] = [];
  let said = openLastLine(redactor);
  const render = (): string => {
    const work = names.length === 0 ? stage : `${stage} ${names.join(", ")}`;
    return [...renderPass(pass, name), work, formatTick(msBetween(since, now())), said.read()]
      .filter((part) => part !== "")
      .join("  ");
  };
  return {
    entered(next) {
      // After a stop the next pass is another one.
      if (next === "PLAN" && !row.isBegun()) pass = null;
      stage = next;
      since = now();
      names = [];
      said = openLastLine(redactor);
      row.begin(render);
    },
    planned(begun) {
      pass = begun;
    },
    running(started) {
      names = started;
      if (started.length > 0) row.draw();
    },
    heard(piece) {
      said.add(piece);
    },
  };
}

function renderPass(pass: BegunPass | null, name: string): string[] {
  if (pass === null) return [name];
  const { task, phase, pass: number, spentUsd } = pass;
  return [task, phase, `pass ${number}`, ...(spentUsd === null ? [] : [`${dollars(spentUsd)} so far`])];
}

function formatTick(ms: number): string {
  return ms < tickMs ? "0s" : formatDuration(Math.floor(ms / tickMs) * tickMs);
}
