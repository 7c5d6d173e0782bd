export interface Tag {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/**
 * The tags of a page, read strictly: every `<` must open a whole tag whose attributes all stand in double quotes, and
 * every `&` an entity. Throws where one does not, which in a page of ours is a text that was not escaped.
 */
export function readTags(page: string): Tag[] {
  const body = page.replace(/^<!doctype html>\n/, "").replace(/(<style>)[\s\S]*?(<\/style>)/, "$1$2");
  const tags: Tag[] = [];
  const rest = body.replace(
    /<(\/?)([a-z][a-z0-9]*)((?: [a-zA-Z-]+[0-9]?(?:="[^"<>]*")?)*)>/g,
    (_, close: string, name: string, attributes: string) => {
      const pairs = [...attributes.matchAll(/ ([a-zA-Z-]+[0-9]?)(?:="([^"]*)")?/g)].map((match) => [
        match[1],
        match[2] ?? "",
      ]);
      if (close === "") tags.push({ name, attributes: Object.fromEntries(pairs) });
      return "";
    },
  );
  const stray = /[<>"']|&(?!(?:amp|lt|gt|quot|#39);)/.exec(rest);
  if (stray !== null) throw new Error(`not escaped: ${rest.slice(Math.max(0, stray.index - 40), stray.index + 41)}`);
  return tags;
}
