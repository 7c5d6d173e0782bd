/** Null too for a number that is not a date, as a provider in trouble may send. */
export function isoTime(milliseconds: number | null): string | null {
  const time = new Date(milliseconds ?? Number.NaN);
  return Number.isNaN(time.getTime()) ? null : time.toISOString();
}
