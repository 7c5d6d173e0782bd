import { nearestWord } from "./nearest.ts";
import { shorten } from "./shorten.ts";

/** More of them than this are only counted. */
const mostNames = 8;

/** The advice for an unknown name: the nearest one and the known ones; null if there are none. */
export function describeKnownNames(name: string, known: readonly string[], what: string): string | null {
  if (known.length === 0) return null;
  const shown = known.slice(0, mostNames).map((one) => shorten(one));
  const more = known.length > mostNames ? ` and ${known.length - mostNames} more` : "";
  const near = nearestWord(name, known);
  return `${near === null ? "" : `did you mean ${shorten(near)}? `}${what}: ${shown.join(", ")}${more}`;
}
