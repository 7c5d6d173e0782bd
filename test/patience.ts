/**
 * How long a test waits for an event that has to come. No machine is so busy that it takes this long, so only a test
 * that fails waits to the end.
 */
export const patienceMs = 300_000;

/**
 * Milliseconds of CPU time that this process has used since the call, for tests of code that could take time without
 * measure: other programs do not lengthen it as they lengthen the time of a clock.
 */
export function startCpuTime(): () => number {
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  };
}
