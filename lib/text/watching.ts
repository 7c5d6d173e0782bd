const watchWords = /(?:^|\s)(?:--watch(?:All)?|-w)(?:\s|$)|(?:^|\s)nodemon\s/;
/** To these `-w` is about words, white space or workers. */
const otherW = /(?:^|[\s;&|/])(?:[ef]?grep|rg|wc|diff|jest)\s/;

/** Whether a script or command watches for changes and does not end, unless it is told that it is on a build server. */
export function watchesUnlessCi(line: string): boolean {
  if (/\bCI=|\s--(?:run|no-watch|watch(?:All)?=false)\b/.test(line)) return false;
  return /\breact-scripts test\b|(?:^|[\s;&|/])vitest(?=\s|$)(?!\s+(?:run|list|bench)\b)/.test(line);
}

/** `isCi`: the environment says that it is one. */
export function watches(line: string, isCi: boolean): boolean {
  const words = otherW.test(line) ? line.replaceAll(/\s-w(?=\s|$)/g, "") : line;
  return watchWords.test(words) || (!isCi && watchesUnlessCi(line));
}
