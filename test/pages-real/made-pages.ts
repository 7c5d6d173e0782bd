import { readFileSync } from "node:fs";

/** One page as `npm run test:pages` made it. */
export interface MadePage {
  readonly name: string;
  /** Absolute. What the page links to stands around it. */
  readonly file: string;
}

export interface PagesPlace {
  /** The Chromium to run. */
  readonly chromium: string;
  /** Where screenshots are kept. */
  readonly shots: string;
  /** A folder of this run alone. */
  readonly scratch: string;
  readonly pages: readonly MadePage[];
}

/** What `npm run test:pages` prepared. */
export function readPagesPlace(): PagesPlace {
  const file = process.env.TASK_PHASE_PAGES;
  if (file === undefined) throw new Error("these tests are run by: npm run test:pages");
  return JSON.parse(readFileSync(file, "utf8")) as PagesPlace;
}
