import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import type { TestContext } from "node:test";
import { execa } from "execa";
import { type BranchWorld, makeBranchWorld } from "../cli/branch-world.ts";
import { materialise } from "./disk-image.ts";
import { holdsWords, judgeStanding, type State } from "./judge-state.ts";
import type { Loss } from "./list-losses.ts";
import { recordOps, type Trace } from "./record-ops.ts";
import { type CallEnd, callProgram, type Standing } from "./stage.ts";
import type { Recorded } from "./try-states.ts";

/** Only the agent writes them. */
const words = "words that only the agent wrote";
/** Names that git relies on come in their order; what it and the agent leave half written is tried in test/forgetting. */
const following = {
  ofGit: /\/(?:\.git|T-1\.objects|T-1\.git-work|landed\/\w+\/T-1)(?:\/|$)|\/(?:clones|files|land)\/\w+\/T-1$/,
  othersSync: true,
};
const branch = "task-phase/T-1";

type Words = Parameters<typeof callProgram>[0];

/** One pass of a task, claimed and settled by compare-and-swap of its branch in the person's own repository. */
export async function claimed(t: TestContext): Promise<Recorded> {
  const says = `set_field "Next step" "${words}"`;
  const world = makeBranchWorld(t, { "T-1": { plan: [":", says] } });
  await world.ends(0, "run", "T-1");
  const before = await readStanding(world, branch);
  const [mine, main] = [world.mine(), await git(world, "rev-parse", "main")];
  const trace = await record(world, ["run", "T-1"], /\b(?:accepted|redirected|rejected|interrupted)\b/);
  const after = await readStanding(world, branch);
  const judge = async ({ image, isTold }: State): Promise<string | null> => {
    materialise(image, world.folder);
    const end = await call(world, ["run", "T-1", "--model", "nobody"]);
    if (![0, 64].includes(end.code)) return `the call that recovers ends with ${end.code}: ${end.output}`;
    const wrong = judgeStanding({ before, after }, await readStanding(world, branch), isTold);
    if (wrong !== null) return wrong;
    if (world.mine() !== mine || (await git(world, "rev-parse", "main")) !== main)
      return "P8: the person's tree changed";
    if (holdsWords(image, words) && !(await isInBranches(world, words))) return "P8: what the agent wrote is lost";
    return await judgeRest(world);
  };
  return { trace, words: null, isPossible: betweenSteps(trace), judge };
}

/** The merge of a task that is done: the target moves, and what was made for the task goes. */
export async function landed(t: TestContext): Promise<Recorded> {
  const world = makeBranchWorld(t, { "T-1": {} });
  await world.ends(0, "loop");
  const old = await git(world, "rev-parse", "main");
  const journal = (await readStanding(world, branch)).journal;
  const trace = await record(world, ["land", "T-1"], /\blanded\b/);
  const mine = world.mine();
  const standsIn = async (ref: string): Promise<boolean> =>
    (await readStanding(world, ref)).journal === journal &&
    (await git(world, "show", `${ref}:T-1.txt`)) === "work of T-1\n";
  const judge = async ({ image, isTold }: State): Promise<string | null> => {
    materialise(image, world.folder);
    const isOld = (await git(world, "rev-parse", "main")) === old;
    if (isOld && isTold) return "P2: told that it landed, and it has not";
    if (!(await standsIn(isOld ? branch : "main"))) return `P8: ${isOld ? branch : "main"} does not have the work`;
    const end = await call(world, ["land", "--all"]);
    if (end.code !== 0) return `the call that recovers ends with ${end.code}: ${end.output}`;
    if (!(await standsIn("main"))) return "P1: the work did not land";
    const merges = await git(world, "rev-list", "--count", `${old?.trim()}..main`, "--merges", "--first-parent");
    if (merges !== "1\n") return `P3: it landed ${merges} times`;
    // Times are part of a merge, and so of its name.
    const now = world.mine();
    if (now.replace(/^[0-9a-f]{40} commit.*$/gm, "") !== mine.replace(/^[0-9a-f]{40} commit.*$/gm, ""))
      return `P8: the person's tree is not as after the merge: ${now}`;
    // Killed before it was taken away, a branch that has landed stays: the target has all of it.
    const others = world.branches().filter((name) => name !== "main");
    for (const name of others)
      if ((await git(world, "merge-base", "--is-ancestor", name, "main")) === null) return `left over: ${name}`;
    return await judgeRest(world);
  };
  return { trace, words: null, isPossible: betweenSteps(trace), judge };
}

/** Git's own steps are found when it has ended, so all of them are there or none: test/forgetting cuts in between. */
function betweenSteps({ ops }: Trace): (loss: Loss) => boolean {
  return ({ count }) => !(ops[count - 1]?.isDurable === true && ops[count]?.isDurable === true);
}

async function record(world: BranchWorld, said: Words, telling: RegExp): Promise<Trace> {
  return await recordOps(
    world.folder,
    async (tell) => {
      const end = await call(world, said, (text) => {
        if (telling.test(text)) tell();
      });
      assert.equal(end.code, 0, end.output);
    },
    following,
  );
}

async function call(world: BranchWorld, said: Words, heard?: (text: string) => void): Promise<CallEnd> {
  return await callProgram(said, { env: world.env, cwd: world.path("repo"), now: () => new Date() }, heard);
}

async function git(world: BranchWorld, ...args: string[]): Promise<string | null> {
  const env = { ...world.env, GIT_OPTIONAL_LOCKS: "0" };
  const options = { cwd: world.path("repo"), env, extendEnv: false, stripFinalNewline: false, reject: false } as const;
  const { exitCode, stdout } = await execa("git", args, options);
  return exitCode === 0 ? stdout : null;
}

async function readStanding(world: BranchWorld, ref: string): Promise<Standing> {
  const read = async (name: string): Promise<string> => (await git(world, "show", `${ref}:tasks/T-1/${name}`)) ?? "";
  return {
    state: await read("STATE.md"),
    journal: await read("artifacts/journal.jsonl"),
    log: await read("log.txt"),
    progress: await read("progress.txt"),
  };
}

async function isInBranches(world: BranchWorld, text: string): Promise<boolean> {
  const tips =
    (await git(world, "for-each-ref", "--format=%(objectname)"))?.split("\n").filter((tip) => tip !== "") ?? [];
  return (await git(world, "grep", "-q", text, ...tips)) !== null;
}

/** Git can read all of it, the rules hold, and no claim is left; a clone of a landing waits for the sweep of a later loop. */
async function judgeRest(world: BranchWorld): Promise<string | null> {
  if ((await git(world, "rev-list", "--objects", "--all")) === null) return "P8: a ref names what is not there";
  const check = await call(world, ["check", "--history", "--git", world.path("repo"), "--tasks-root", "tasks"]);
  if (check.code !== 0 || /error|warning/.test(check.output)) return `check ends with ${check.code}: ${check.output}`;
  const left = readdirSync(world.path("home/.cache/task-phase"), { recursive: true, encoding: "utf8" });
  const odd = left.filter((name) => /^work\/\w+\/[^/]+\.json$|^clones\/\w+\//.test(name));
  return odd.length === 0 ? null : `left over: ${odd.slice(0, 5).join(", ")}`;
}
