import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import type { TestContext } from "node:test";
import { projectRoot } from "../cli/arrange.ts";

/** What reaches the disk, and in which order: forgetting-fs.c says it. */
export type DiskModel = "strict" | "ordered" | "device";

/** What a cut took: changes that the disk did not have yet. */
export interface Losses {
  readonly pending: number;
  readonly names: number;
  readonly writes: number;
  /** Writes that left half of their bytes, or zeros. */
  readonly torn: number;
  readonly other: number;
}

/** A mounted file system that forgets. */
export interface ForgettingDisk {
  readonly folder: string;
  /** The power goes after so many more calls that change something: `off` resolves then, and never if it does not go. */
  arm(calls: number): Promise<{ readonly off: Promise<void> }>;
  /** The power goes. No program may be using the disk; the seed chooses what is lost. */
  cut(seed: number): Promise<Losses>;
  /** Writes what a cut would leave of a file to another disk, and forgets nothing. */
  save(seed: number, name: string, to: string): Promise<Losses>;
  /** The power was never gone. */
  goOn(): Promise<void>;
  /** All that was written reaches the disk, as it does by itself after some seconds. */
  settle(): Promise<void>;
  /** How many calls have changed something. */
  count(): Promise<number>;
  remove(): Promise<void>;
}

type Answer = Readonly<Record<string, unknown>>;
type Built = { readonly program: string } | { readonly missing: string };

let built: Built | null = null;

/** Compiles the file system and mounts it once. What the tests are skipped for where that cannot be done, else false. */
export function whyNoForgetting(): string | false {
  built ??= build();
  return "missing" in built ? built.missing : false;
}

function build(): Built {
  if (process.platform !== "linux") return { missing: "FUSE is that of Linux" };
  if (!existsSync("/dev/fuse")) return { missing: "there is no /dev/fuse" };
  const flags = spawnSync("pkg-config", ["--cflags", "--libs", "fuse3"], { encoding: "utf8" });
  if (flags.status !== 0) return { missing: "pkg-config or the headers of libfuse 3 are not installed" };
  const folder = mkdtempSync(path.join(os.tmpdir(), "task-phase-forgetting-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const program = path.join(folder, "forgetting-fs");
  const source = path.join(projectRoot, "test", "forgetting", "forgetting-fs.c");
  const words = ["-O2", "-Wall", "-Wextra", "-o", program, source, ...flags.stdout.trim().split(/\s+/)];
  const compiled = spawnSync("cc", words, { encoding: "utf8" });
  if (compiled.error !== undefined) return { missing: "there is no C compiler" };
  if (compiled.status !== 0) throw new Error(`forgetting-fs.c does not compile: ${compiled.stderr}`);
  const trial = path.join(folder, "trial");
  mkdirSync(trial);
  const mounted = spawnSync(program, [trial, "strict"], { input: "", encoding: "utf8" });
  return mounted.status === 0 ? { program } : { missing: `FUSE cannot be mounted: ${mounted.stderr.trim()}` };
}

export async function mountForgetting(t: Pick<TestContext, "after">, model: DiskModel): Promise<ForgettingDisk> {
  built ??= build();
  if ("missing" in built) throw new Error(built.missing);
  const folder = realpathSync(mkdtempSync(path.join(os.tmpdir(), "task-phase-disk-")));
  const child = spawn(built.program, [folder, model]);
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const { ask, answered, whenOff } = talkWith(child);
  const remove = async (): Promise<void> => {
    child.stdin.end();
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  t.after(remove);
  await answered();
  return {
    folder,
    async arm(calls) {
      const off = whenOff();
      await ask(`arm ${calls}`);
      return { off };
    },
    cut: async (seed) => lossesOf(await ask(`cut ${seed}`)),
    save: async (seed, name, to) => lossesOf(await ask(`save ${seed} ${name} ${to}`)),
    goOn: async () => void (await ask("on")),
    settle: async () => void (await ask("settle")),
    count: async () => Number((await ask("count")).calls),
    remove,
  };
}

/** Each line is the answer to a command, in their order, but for the one that says that the power is gone. */
function talkWith(child: ChildProcessWithoutNullStreams) {
  const waiting: ((answer: Answer) => void)[] = [];
  const problems: string[] = [];
  let goesOff: () => void = () => undefined;
  let rest = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => void problems.push(text));
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    const lines = `${rest}${text}`.split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const answer = JSON.parse(line) as Answer;
      if (answer.off === true) goesOff();
      else waiting.shift()?.(answer);
    }
  });
  child.once("close", () => {
    for (const answer of waiting.splice(0)) answer({ error: `the file system ended: ${problems.join("")}` });
  });
  const answered = async (): Promise<Answer> => {
    const answer = await new Promise<Answer>((resolve) => void waiting.push(resolve));
    if (answer.error !== undefined) throw new Error(String(answer.error));
    return answer;
  };
  return {
    answered,
    ask(command: string): Promise<Answer> {
      const answer = answered();
      child.stdin.write(`${command}\n`);
      return answer;
    },
    whenOff: () =>
      new Promise<void>((resolve) => {
        goesOff = resolve;
      }),
  };
}

function lossesOf(answer: Answer): Losses {
  const [pending = 0, names = 0, writes = 0, torn = 0, other = 0] = ["pending", "names", "writes", "torn", "other"].map(
    (key) => Number(answer[key]),
  );
  return { pending, names, writes, torn, other };
}
