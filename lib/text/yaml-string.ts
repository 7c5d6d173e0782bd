/** What YAML 1.1 or 1.2 readers do not take as a string. */
const words = new Set(["true", "false", "yes", "no", "on", "off", "null", "nan", "inf", "y", "n"]);

/** On one line, also inside `[ ]` and `{ }`: plain if beyond doubt, else double-quoted. Reads back unchanged. */
export function yamlString(text: string): string {
  const plain = /^[A-Za-z][A-Za-z0-9_./+-]*(?: [A-Za-z0-9_./+-]+)*$/.test(text) && !words.has(text.toLowerCase());
  if (plain) return text;
  return JSON.stringify(text).replace(
    /[\u007f-\u00a0\u00ad\u061c\u180e\u2000-\u200f\u2028-\u202f\u2060-\u206f\ufeff\ufff9-\uffff]/g,
    (unit) => {
      return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
    },
  );
}

export function yamlList(texts: readonly string[]): string {
  return `[${texts.map(yamlString).join(", ")}]`;
}
