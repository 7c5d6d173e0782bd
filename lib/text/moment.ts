/**
 * The present time of a process: the wall clock for what is recorded, and a tick for what is measured, which neither
 * setting the clock nor the sleep of the machine moves.
 */
export class Moment extends Date {
  readonly tickMs: number;

  constructor(wallMs = Date.now(), tickMs = performance.now()) {
    super(wallMs);
    this.tickMs = tickMs;
  }
}

/** Milliseconds from one to the other: by the ticks if both have one. */
export function msBetween(from: Date, to: Date): number {
  return from instanceof Moment && to instanceof Moment ? to.tickMs - from.tickMs : to.getTime() - from.getTime();
}

export function laterBy(ms: number, from: Date): Date {
  const wallMs = from.getTime() + ms;
  return from instanceof Moment ? new Moment(wallMs, from.tickMs + ms) : new Date(wallMs);
}
