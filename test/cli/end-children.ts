import type { ChildProcess } from "node:child_process";
import type { TestContext } from "node:test";

/** A runner ends its agent within its grace of 5 s when it is asked to. */
const patienceMs = 8_000;

/**
 * Ends what a test started and left alive, as one that fails half way does: asked first, so that a runner takes its
 * agent with it, then killed. Without it the test process would wait for its children for ever.
 */
export function endChildrenAfter(t: TestContext): { watch(child: ChildProcess): void } {
  const children: ChildProcess[] = [];
  t.after(async () => {
    await Promise.all(children.map(endChild));
  });
  return {
    watch(child) {
      children.push(child);
    },
  };
}

async function endChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(() => child.kill("SIGKILL"), patienceMs);
    child.once("exit", () => {
      clearTimeout(timer);
      resolve();
    });
    child.kill("SIGTERM");
  });
}
