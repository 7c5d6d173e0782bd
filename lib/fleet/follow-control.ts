import { writeFileSync } from "node:fs";
import { readText } from "../store/read-file.ts";
import { watchFile } from "../store/watch-file.ts";

export interface FollowedFile {
  /** As it was last taken along; null: it is not there. */
  text(): string | null;
  stop(): void;
}

const pollMs = 1_000;
const mostBytes = 1024 * 1024;

/**
 * A person writes CONTROL.md in their working tree while the pass works in its clone: what they save there is put into the
 * clone's file at once, where the pass obeys it. Marks that the pass made meanwhile are gone with that, as in any editor
 * that saves an older text. `taken`: what is there already, from before the clone was ready.
 */
export function followFile(from: string, to: string, taken: string | null): FollowedFile {
  let text = taken;
  const look = (): void => {
    const now = readText(from, mostBytes);
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
