import { writeFileSync } from "node:fs";
import { readText } from "../store/read-file.ts";
import { watchFile } from "../store/watch-file.ts";

export interface FollowedFile {
  /** As it was last taken along; null: it is not there. */
  text(): string | null;
  /** Takes nothing along until it is released by what this gives. */
  hold(): () => void;
  stop(): void;
}

const pollMs = 1_000;
const mostBytes = 1024 * 1024;

/**
 * A person writes CONTROL.md in their working tree while the pass works in its clone: what they save there is put into the
 * clone's file at once, where the pass obeys it. Marks that the pass made meanwhile are gone with that, as in any editor
 * that saves an older text. `taken`: what is there already, from before the clone was ready. `before`: called before the
 * clone's file is written.
 */
export function followFile(from: string, to: string, taken: string | null, before: () => void): FollowedFile {
  let text = taken;
  let isHeld = false;
  const look = (): void => {
    const now = readText(from, mostBytes);
    if (isHeld || now === text || now === null) return;
    before();
    text = now;
    writeFileSync(to, now);
  };
  look();
  const timer = setInterval(look, pollMs).unref();
  const stopWatch = watchFile(from, look);
  return {
    text: () => text,
    hold() {
      isHeld = true;
      return () => {
        isHeld = false;
        look();
      };
    },
    stop() {
      clearInterval(timer);
      stopWatch();
    },
  };
}
