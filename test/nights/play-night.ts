import { checkNight } from "../simulation/check-night.ts";
import { makeNight } from "../simulation/make-night.ts";
import { planNight } from "../simulation/plan-night.ts";
import { runNight } from "../simulation/run-night.ts";
import { fixNight, watchDisk } from "./life.ts";
import type { NightSize } from "./night-size.ts";
import { openPeople } from "./people.ts";
import { openInside } from "./start-inside.ts";

export interface PlayedNight extends NightSize {
  readonly passes: number;
  readonly killed: number;
  readonly problems: readonly string[];
  /** What happened, where there is a problem. */
  readonly story: readonly string[];
}

let watches = false;

/** A whole night in this process, in which register.ts was loaded. */
export async function playNight(size: NightSize): Promise<PlayedNight> {
  if (!watches) watchDisk();
  watches = true;
  const { seed, tasks, kills, acts } = size;
  const night = makeNight(planNight(seed, tasks), `night-${seed}`);
  const story: string[] = [];
  const tell = (line: string) => void story.push(line);
  let problems: readonly string[] = ["it did not end"];
  try {
    const start = openInside(night);
    const people = openPeople(night, start, seed, acts, tell);
    fixNight(seed, seed % 2 === 0);
    const log = await runNight(night, { kills, seed, start, tell, ...(acts > 0 && { people }) });
    fixNight(seed, false);
    const result = await checkNight(night, start, people.touched);
    problems = [...log.problems, ...result.problems, ...people.judge()];
    const passes = Object.values(result.verdicts).reduce((sum, one) => sum + one, 0);
    if (problems.length > 0) story.push(`its folder: ${night.folder}`);
    return { ...size, passes, killed: log.kills, problems, story: problems.length === 0 ? [] : story };
  } finally {
    if (problems.length === 0 || process.env.TASK_PHASE_KEEP_NIGHTS === undefined) night.remove();
  }
}
