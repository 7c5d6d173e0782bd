/** One process, distinguished from any later one that gets the same number. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Clock ticks since boot (field 22 of /proc/PID/stat); empty if the system has no /proc. */
  readonly startTime: string;
  /** Empty if the system has no /proc. */
  readonly bootId: string;
  /**
   * For people: the name of the program and, for an interpreter, of its script. No arguments: they may hold secrets.
   */
  readonly command: string;
}

/** A word that two identities share only if they are the same process. */
export function identityKey(identity: { readonly pid: number; readonly startTime: string }): string {
  return `${identity.pid}:${identity.startTime}`;
}
