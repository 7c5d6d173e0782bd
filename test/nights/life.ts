import { AsyncLocalStorage } from "node:async_hooks";
import crypto from "node:crypto";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { changesDisk } from "../crash/disk-calls.ts";
import { type Chance, chanceOf } from "../simulation/seeded.ts";

/** Thrown by every call of the disk that a process makes after its end. */
export class Killed extends Error {
  readonly code = "EKILLED";
}

/**
 * One process of the night, in this one: what it awaits belongs to it too. It ends like a process that is killed: the
 * disk stays as it is, and no later call of it reaches the disk.
 */
export class Life {
  isOver = false;
  /** Calls that changed the disk, and steps of its programs. */
  calls = 0;
  /** It ends before this call; null: it is not killed by a count. */
  endsAt: number | null;
  private readonly writesHalf: boolean;
  private readonly open = new Set<number>();

  constructor(endsAt: number | null, writesHalf: boolean) {
    this.endsAt = endsAt;
    this.writesHalf = writesHalf;
  }

  /** Runs `act` as this process; its descriptors are closed afterwards, as the kernel would. */
  async lead<Value>(act: () => Promise<Value>): Promise<Value> {
    try {
      return await lives.run(this, act);
    } finally {
      if (this.isOver) for (const descriptor of this.open) real.closeSync(descriptor);
    }
  }

  /** Counts one call, and ends here if it is the last. */
  count(): void {
    this.require();
    this.calls += 1;
    if (this.calls === this.endsAt) this.end();
  }

  end(): never {
    this.isOver = true;
    throw new Killed("the process was killed");
  }

  require(): void {
    if (this.isOver) throw new Killed("the process was killed");
  }

  write(call: Call, args: unknown[]): unknown {
    if (this.writesHalf && this.calls + 1 === this.endsAt) {
      const [descriptor, bytes, offset, length] = args;
      if (bytes instanceof Uint8Array) {
        const from = Number(offset ?? 0);
        call(descriptor, bytes, from, Math.floor(Number(length ?? bytes.length - from) / 2), null);
      }
    }
    this.count();
    return call(...args);
  }

  opened(descriptor: unknown): unknown {
    this.open.add(Number(descriptor));
    return descriptor;
  }

  closed(descriptor: unknown): void {
    this.open.delete(Number(descriptor));
  }
}

type Call = (...args: unknown[]) => unknown;

const lives = new AsyncLocalStorage<Life>();
const real = { ...fs };

/** That of the caller; null outside of all. */
export function presentLife(): Life | null {
  return lives.getStore() ?? null;
}

/** What other programs and people do: nothing of it is counted, or stopped by the end of a life. */
export function outsideOfLives<Value>(act: () => Value): Value {
  return lives.exit(act);
}

let isInside = false;
let bytes: Chance = chanceOf(0, "bytes");
let isYoung = false;

/**
 * Makes a night the same each time: what is random in a life comes from the seed. In a young one no file ever looks old
 * enough to be known without being read, whatever time goes by.
 */
export function fixNight(seed: number, young: boolean): void {
  bytes = chanceOf(seed, "bytes");
  isYoung = young;
}

function fixChance(): void {
  const { now } = Date;
  Date.now = () => (isYoung && lives.getStore() !== undefined ? 0 : now());
  const draw = (size: number): Buffer => Buffer.from(Array.from({ length: size }, () => bytes.between(0, 255)));
  const { randomBytes, randomUUID } = crypto;
  Reflect.set(crypto, "randomBytes", (size: number) =>
    lives.getStore() === undefined ? randomBytes(size) : draw(size),
  );
  Reflect.set(crypto, "randomUUID", () => {
    if (lives.getStore() === undefined) return randomUUID();
    const hex = draw(16).toString("hex");
    return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `a${hex.slice(17, 20)}`, hex.slice(20)].join(
      "-",
    );
  });
}

/** From now on every call of the disk asks whether its life is over. */
export function watchDisk(): void {
  for (const [name, original] of Object.entries(real) as [string, unknown][]) {
    if (!name.endsWith("Sync") || typeof original !== "function") continue;
    const call = original as Call;
    Reflect.set(fs, name, (...args: unknown[]) => {
      const life = isInside ? undefined : lives.getStore();
      if (life === undefined) return call(...args);
      // Node makes some of its calls of others.
      isInside = true;
      try {
        return callAs(life, name, call, args);
      } finally {
        isInside = false;
      }
    });
  }
  fixChance();
  syncBuiltinESMExports();
  // A timer of a life that is over.
  process.on("uncaughtException", (error) => {
    if (!isKill(error)) throw error;
  });
}

function callAs(life: Life, name: string, call: Call, args: unknown[]): unknown {
  if (name === "writeSync") return life.write(call, args);
  if (changesDisk(name, args)) life.count();
  else life.require();
  const result = call(...args);
  if (name === "openSync") return life.opened(result);
  if (name === "closeSync") life.closed(args[0]);
  return result;
}

/** Whether an error is that of a life that ended, also below others. */
export function isKill(error: unknown): boolean {
  if (error instanceof Killed) return true;
  return error instanceof Error && error.cause !== undefined && isKill(error.cause);
}
