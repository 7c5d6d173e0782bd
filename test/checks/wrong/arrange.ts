import { listWrongVersions } from "../../../lib/checks/wrong/wrong-versions.ts";

/** What is made of a new file: each wrong line as `was > made`, sorted, and the emptied file. */
export async function versionsOf(path: string, text: string, before: string | null = null) {
  const { emptied, lines } = await listWrongVersions([{ path, text, before }], "seed", false);
  return {
    lines: lines.map(({ line, was, made }) => `${line}: ${was} > ${made}`).sort(),
    emptied: emptied[0]?.texts().get(path) ?? null,
  };
}
