import type { CliName } from "../../documents/config/adapter-names.ts";

interface TriedVersion {
  readonly version: string;
  /**
   * The Node that its package requires; npm under an older one installs an older version. Null: any supported by us.
   */
  readonly installNode: string | null;
  /** The Node that it runs on; null for any or none. */
  readonly runNode: string | null;
}

/** The newest version of each CLI that ran against a scripted server. */
export const triedVersions: Readonly<Record<CliName, TriedVersion>> = {
  pi: { version: "0.87.1", installNode: "22.19", runNode: "22.19" },
  claude: { version: "2.1.330", installNode: "22", runNode: null },
  codex: { version: "0.169.0", installNode: null, runNode: null },
  gemini: { version: "0.61.0", installNode: null, runNode: null },
  opencode: { version: "1.18.33", installNode: null, runNode: null },
  copilot: { version: "1.0.102", installNode: null, runNode: null },
  qwen: { version: "0.24.4", installNode: "22", runNode: null },
};

/** `2.1.330` in `2.1.330 (Claude Code)`. */
export function readVersion(text: string): string | null {
  return /\d{1,9}\.\d{1,9}(?:\.\d{1,9})?(?:-[0-9A-Za-z.]{1,40})?/.exec(text)?.[0] ?? null;
}

/** By numbers alone, without a suffix behind a dash. */
export function isOlder(version: string, than: string): boolean {
  const [one, other] = [numbersOf(version), numbersOf(than)];
  const at = [0, 1, 2].find((index) => (one[index] ?? 0) !== (other[index] ?? 0));
  return at !== undefined && (one[at] ?? 0) < (other[at] ?? 0);
}

function numbersOf(version: string): number[] {
  return (version.split("-", 1)[0] ?? "").split(".").map(Number);
}
