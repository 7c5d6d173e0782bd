/** Node's longest timer, 24.8 days; beyond it, `setTimeout` fires at once. */
const longestDurationMs = 2 ** 31 - 1;

const written = /^(?:(\d{1,9}(?:\.\d{1,3})?)h)?(?:(\d{1,9}(?:\.\d{1,3})?)m)?(?:(\d{1,9}(?:\.\d{1,3})?)s)?$/;
const bareNumber = /^\d{1,9}(?:\.\d{1,3})?$/;

/** Of `90s`, `5m`, `2h`, `1h30m` or seconds. Null for anything else, zero or less, or beyond Node's longest timer. */
export function parseDuration(value: unknown): number | null {
  if (typeof value === "number") return usable(value * 1000);
  if (typeof value !== "string") return null;
  const text = value.trim();
  if (bareNumber.test(text)) return usable(Number(text) * 1000);
  const match = written.exec(text);
  if (match === null) return null;
  const [hours, minutes, seconds] = [match[1], match[2], match[3]].map((part) => Number(part ?? 0));
  return usable(((hours ?? 0) * 3600 + (minutes ?? 0) * 60 + (seconds ?? 0)) * 1000);
}

/** `850ms`, `1.5s`, `1m30s`, `2h`. `parseDuration` reads whole seconds back. */
export function formatDuration(ms: number): string {
  const whole = Math.max(0, Math.round(ms));
  if (whole < 1000) return `${whole}ms`;
  if (whole < 10_000 && whole % 1000 !== 0) return `${Number((whole / 1000).toFixed(1))}s`;
  const total = Math.round(whole / 1000);
  const parts = [
    [Math.floor(total / 3600), "h"],
    [Math.floor((total % 3600) / 60), "m"],
    [total % 60, "s"],
  ] as const;
  return parts
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count}${unit}`)
    .join("");
}

function usable(ms: number): number | null {
  const rounded = Math.round(ms);
  return rounded > 0 && rounded <= longestDurationMs ? rounded : null;
}
