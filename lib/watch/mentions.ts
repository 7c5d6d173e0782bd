import { extname } from "node:path";
import { lastPart } from "./places.ts";

const quoted = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/**
 * Whether a text names a file: by its name, as in `commands.txt`, or by its folder as something to be listed, as in
 * `readdir("data")` and `data/*.csv`.
 */
export function namesData(path: string): (text: string) => boolean {
  const name = lastPart(path);
  const folder = lastPart(path.slice(0, Math.max(0, path.length - name.length - 1)));
  const words = [`(?<![\\w.-])${quoted(name)}(?![\\w-])`];
  if (folder !== "") words.push(`(?<![\\w.-])${quoted(folder)}(?:/?["'\`]|/[*$\{])`);
  const pattern = new RegExp(words.join("|"));
  return (text) => pattern.test(text);
}

/** File names that stand for their folder, or that a tool finds by itself: any of them may be used without being named. */
const implied = /^(?:index|main|mod|lib|__init__|__main__|app|conftest)$/;

/** Whether a text uses a source file of the work: by its name, or as a module. */
export function usesSource(path: string): (text: string) => boolean {
  const name = lastPart(path);
  const stem = name.slice(0, name.length - extname(name).length);
  // The files of a package of Go are all used with it.
  if (implied.test(stem) || name.endsWith(".go")) return () => true;
  const plain = quoted(stem);
  const words = [
    `(?<![\\w.-])${quoted(name)}(?![\\w-])`,
    `/${plain}["'\`]`,
    `\\b(?:import|from|mod|use|require|require_relative)\\b[^\\n]{0,200}\\b${plain}\\b`,
    ...(/^[A-Z]\w{2}/.test(stem) ? [`\\b${plain}\\b`] : []),
  ];
  const pattern = new RegExp(words.join("|"));
  return (text) => pattern.test(text);
}
