/**
 * A brief as a person would leave it: these lines of front matter, and a sentence that says what is wanted. A model is
 * asked in every phase unless a line says otherwise, so that a test meets each of them.
 */
export function briefFile(lines: readonly string[], title: string): string {
  const own = lines.some((line) => line.startsWith("advance:")) ? [] : ["advance: never"];
  return `---\n${[...lines, ...own].join("\n")}\n---\n\n# ${title}\n\n${wish}\n`;
}

/** What makes any brief one that a model can work by. */
export const wish = "What the title says holds afterwards, and nothing else has changed.";
