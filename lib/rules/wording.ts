/** `1 pass`, `3 passes`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** On one line: runs of white space become one space. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
