/** A table of Markdown from texts. */
export function table(heads, rows) {
  const line = (cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(heads), line(heads.map(() => "---")), ...rows.map(line)].join("\n");
}

export function code(text) {
  return `\`${text}\``;
}
