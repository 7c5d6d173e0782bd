/**
 * Replaces the same flags of `args` by the tier's: some CLIs refuse a repeated flag, others take the first. A flag is a
 * word with a dash; the words up to the next one are its values.
 */
export function withTierArgs(args: readonly string[], tierArgs: readonly string[]): string[] {
  const replaced = new Set(groupByFlag(tierArgs).map(settingOf));
  return [
    ...groupByFlag(args)
      .filter((group) => settingOf(group) === null || !replaced.has(settingOf(group)))
      .flat(),
    ...tierArgs,
  ];
}

/** The value may be in the same word or behind it. */
export function namesFlag(words: readonly string[], flags: readonly string[]): boolean {
  return words.some((word) => flags.includes(splitOnce(word)[0]));
}

const longNames: Readonly<Record<string, string>> = { "-m": "--model", "-c": "--config" };

function groupByFlag(words: readonly string[]): string[][] {
  const groups: string[][] = [];
  for (const word of words) {
    const last = groups.at(-1);
    if (isFlag(word) || last === undefined) groups.push([word]);
    else last.push(word);
  }
  return groups;
}

/**
 * The flag, with its key for settings: `--config a=1` and `--config b=2` set two things. Null for words without a flag.
 */
function settingOf([word = "", ...values]: readonly string[]): string | null {
  if (!isFlag(word)) return null;
  const [name = "", value] = splitOnce(word);
  const long = longNames[name] ?? name;
  return long === "--config" ? `${long} ${splitOnce(value ?? values[0] ?? "")[0]}` : long;
}

function splitOnce(text: string): readonly [string, string | undefined] {
  const at = text.indexOf("=");
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

function isFlag(word: string): boolean {
  return /^--?[A-Za-z]/.test(word);
}
