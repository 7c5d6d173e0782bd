/** Attributes that no git reads when it writes a file, compares it with the index, or merges it. */
const forShow = /^[-!]?(?:linguist-[\w-]+(?:=.*)?|diff)$/;

/** True if a `.gitattributes` text decides nothing but how files are shown. */
export function onlyForShow(text: string): boolean {
  return text.split(/\r?\n/).every((line) => {
    const rule = line.trim();
    if (rule === "" || rule.startsWith("#")) return true;
    if (rule.startsWith("[attr]")) return false;
    // A pattern may be in quotes, with spaces in it.
    const attributes = rule.replace(/^(?:"(?:[^"\\]|\\.)*"|\S+)/, "").trim();
    return attributes === "" || attributes.split(/\s+/).every((one) => forShow.test(one));
  });
}
