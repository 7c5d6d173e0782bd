import { chmodSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readEntry } from "../../../lib/checks/watch/places.ts";
import { compareWatch, takeWatch, type WatchInput, type WatchRecord } from "../../../lib/checks/watch/watch.ts";
import { couldHide } from "../../../lib/rules/watched.ts";
import { pathKey } from "../../../lib/store/path-key.ts";
import { walkTree } from "../../../lib/store/walk.ts";
import { write } from "../../git/git-repo.ts";

/** A repo without git, of whose fingerprint what `ignored` matches is left out as if git ignored it. */
export interface WatchWorld {
  readonly repo: string;
  write(files: Readonly<Record<string, string>>): void;
  remove(path: string): void;
  input(more?: Partial<WatchInput>): WatchInput;
  take(more?: Partial<WatchInput>): WatchRecord;
  /** Each change as `kind name change: detail`, with `! ` in front where it could hide something. */
  changes(record: WatchRecord, more?: Partial<WatchInput>): string[];
}

const ignored = /^(?:node_modules|ignored|\.venv|bin)\//;

export async function withWatch(
  files: Readonly<Record<string, string>>,
  commands: readonly (readonly string[])[],
  run: (world: WatchWorld) => unknown,
): Promise<void> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "tp-watch-")));
  try {
    await run(makeWorld(folder, files, commands));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function makeWorld(
  repo: string,
  files: Readonly<Record<string, string>>,
  commands: readonly (readonly string[])[],
): WatchWorld {
  const world: WatchWorld = {
    repo,
    write: (more) => {
      write(repo, more);
      for (const path of Object.keys(more)) {
        if (/\/\.?bin\//.test(`/${path}`) || path.endsWith(".sh")) chmodSync(join(repo, path), 0o755);
      }
    },
    remove: (path) => rmSync(join(repo, path), { recursive: true }),
    input: (more = {}) => {
      // As `takeFingerprint` would say it, without its calls of git.
      const paths = walkTree(Buffer.from(repo)).map(pathKey).sort();
      const entries = paths.map((path) => [path, readEntry(repo, path) ?? "gone - -"] as const);
      return {
        repo,
        checks: commands.map((command, index) => ({ name: `check ${index + 1}`, command })),
        globs: [],
        entries: new Map(entries.filter(([path]) => !ignored.test(path))),
        searchPath: join(repo, "bin"),
        home: repo,
        redact: (text) => text.replaceAll("s3cret", "[redacted]"),
        ...more,
      };
    },
    take: (more) => takeWatch(world.input(more)),
    changes: (record, more) =>
      compareWatch(record, world.input(more)).map((change) => {
        const mark = couldHide({ ...change, answer: null }) ? "! " : "";
        // What it was and is of sizes and digests is told by `compareWatch` in each case.
        const detail = change.detail.replace(
          /^was (?:[\d,]+ bytes? )?[0-9a-f]{12}, is (?:[\d,]+ bytes? )?[0-9a-f]{12}$/,
          "",
        );
        return `${mark}${change.kind} ${change.name} ${change.change}${detail === "" ? "" : `: ${detail}`}`;
      }),
  };
  world.write(files);
  return world;
}

/** What differs after the edits, all in one: taken, edited, compared. */
export async function changesAfter(
  files: Readonly<Record<string, string>>,
  commands: readonly (readonly string[])[],
  edit: (world: WatchWorld) => void | Promise<void>,
): Promise<string[]> {
  let found: string[] = [];
  await withWatch(files, commands, async (world) => {
    const record = world.take();
    await edit(world);
    found = world.changes(record);
  });
  return found;
}
