import { watch, writeFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { readRegularFile } from "../store/read-file.ts";

export interface FollowedFile {
  /** As it was last taken along; null: it is not there. */
  text(): string | null;
  stop(): void;
}

const pollMs = 1_000;
const mostBytes = 1024 * 1024;

/**
 * A person writes CONTROL.md in their working tree while the pass works in its clone: what they save there is put into the
 * clone's file at once, where the pass obeys it. `taken`: what is there already, from before the clone was ready. Marks that the pass made meanwhile are gone with that, as in any editor
 * that saves an older text.
 */
export function followFile(from: string, to: string, taken: string | null): FollowedFile {
  let text = taken;
  const look = (): void => {
    const now = read(from);
    if (now === text || now === null) return;
    text = now;
    writeFileSync(to, now);
  };
  look();
  const timer = setInterval(look, pollMs).unref();
  const stopWatch = watchFile(from, look);
  return {
    text: () => text,
    stop() {
      clearInterval(timer);
      stopWatch();
    },
  };
}

/** Where the system tells of it; elsewhere the poll finds it. */
function watchFile(file: string, look: () => void): () => void {
  try {
    const watcher = watch(dirname(file), { persistent: false }, (_, changed) => {
      if (changed === basename(file)) look();
    });
    watcher.on("error", () => watcher.close());
    return () => watcher.close();
  } catch {
    return () => {};
  }
}

function read(file: string): string | null {
  const found = readRegularFile(file, mostBytes);
  return found.kind === "file" ? found.bytes.toString("utf8") : null;
}
