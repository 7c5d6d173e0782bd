import { cpSync, mkdirSync, mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeFirstCommit } from "../git/first-commit.ts";
import { diskError } from "../report/errors.ts";
import { exampleFolder } from "../templates/package-files.ts";

export interface DemoFolder {
  /** The repo, with the app, the tasks root and the recordings of the agent. */
  readonly folder: string;
  readonly taskDir: string;
  /** A home and a state folder of its own, so that nothing is written into the person's. */
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Copies the example of the package into a new temporary folder, as the repo that it was before its task. */
export async function makeDemoFolder({ PATH, LANG, TMPDIR }: NodeJS.ProcessEnv): Promise<DemoFolder> {
  const from = exampleFolder();
  const folder = copyInto(TMPDIR ?? tmpdir(), from);
  const home = join(folder, ".home");
  const env = {
    PATH,
    LANG,
    ...(TMPDIR === undefined ? {} : { TMPDIR }),
    HOME: home,
    XDG_STATE_HOME: join(home, "state"),
    XDG_CONFIG_HOME: join(home, "config"),
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_NOSYSTEM: "1",
    TASK_PHASE_TRUST: "1",
    // The checks are npm scripts, and npm would ask its registry for news.
    npm_config_update_notifier: "false",
  };
  // Without git it is only a folder, and the evidence has no diff.
  await makeFirstCommit(folder, env);
  mkdirSync(home, { mode: 0o700 });
  return { folder, taskDir: join(folder, "tasks", "T-001-stream-csv"), home, env };
}

function copyInto(parent: string, from: string): string {
  try {
    const folder = realpathSync(mkdtempSync(join(parent, "task-phase-demo-")));
    cpSync(from, folder, { recursive: true });
    return folder;
  } catch (cause) {
    const fix = "set TMPDIR to a folder with a few megabytes of free space";
    throw diskError(
      "TP_DISK",
      `the example could not be copied: ${(cause as Error).message}`,
      { file: parent, fix },
      cause,
    );
  }
}
