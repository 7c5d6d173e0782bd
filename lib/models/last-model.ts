/** The text of state.json: whose turn was the last one. */
export function formatLastModel(name: string): string {
  return `${JSON.stringify({ version: 1, last_model: name }, null, 2)}\n`;
}

/** The name in the bytes of state.json; null where the file is missing or damaged, which is no reason to stop. */
export function readLastModel(bytes: Buffer | null): string | null {
  if (bytes === null) return null;
  try {
    const value: unknown = JSON.parse(bytes.toString("utf8"));
    if (typeof value !== "object" || value === null) return null;
    const { version, last_model: name } = value as Record<string, unknown>;
    return version === 1 && typeof name === "string" ? name : null;
  } catch {
    return null;
  }
}
