import { rmSync } from "node:fs";
import { join } from "node:path";
import { programFile } from "../documents/templates/package-files.ts";
import { createMark, markVariable } from "../process/mark.ts";
import { type ChannelChild, openChannel } from "../process/open-channel.ts";
import { endSurvivors } from "../process/survivors.ts";
import { cacheHome, openPrivateFolder } from "../store/state-home.ts";
import type { PassPorts } from "../task/records/ports.ts";
import { leasedPassWord } from "./leased-pass-word.ts";
import type { PassMessage, WorkerMessage } from "./pass-channel.ts";

export interface PassProcess extends Pick<ChannelChild, "terminate" | "ended"> {
  send(message: WorkerMessage): void;
  /** Kills it with all that it started. */
  kill(): Promise<void>;
}

export type StartPass = (heard: (message: PassMessage) => void) => PassProcess;

/** Starts this program again for each pass, marked, so that nothing of it is left if it has to be killed. */
export function passStarter({ env, home }: Pick<PassPorts, "env" | "home">): StartPass {
  const folder = join(cacheHome(env, home), "marks");
  return (heard) => {
    openPrivateFolder(folder);
    const mark = createMark(folder);
    const argv = [process.execPath, programFile(), leasedPassWord] as const;
    const call = { argv, cwd: folder, env: { ...env, [markVariable]: mark.id } };
    const child = openChannel(call, (message) => heard(message as PassMessage));
    void child.ended.then(() => rmSync(mark.keepalivePath, { force: true }));
    return {
      terminate: child.terminate,
      ended: child.ended,
      send: child.send,
      kill: async () => {
        child.kill();
        await endSurvivors(mark, [], 0);
      },
    };
  };
}
