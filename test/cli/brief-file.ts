/** A brief as a person would leave it: these lines of front matter, and a sentence that says what is wanted. */
export function briefFile(lines: readonly string[], title: string): string {
  return `---\n${lines.join("\n")}\n---\n\n# ${title}\n\n${wish}\n`;
}

/** What makes any brief one that a model can work by. */
export const wish = "What the title says holds afterwards, and nothing else has changed.";
