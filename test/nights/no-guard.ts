export const endOrphansWord = "end-orphans";

/** Programs of a night in memory end with their runner, or go on for as long as the night says. */
export function guardOrphans(): { release(): void } {
  return { release: () => undefined };
}
