import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** What may be a part of the package: licences that ask for no more than their own text. */
export const allowedLicences = ["MIT", "ISC", "0BSD", "BSD-2-Clause", "BSD-3-Clause", "Apache-2.0"];

const textFile = /^(?:licen[cs]e|copying|notice)(?:\.\w+)?$/i;
const readme = /^readme(?:\.\w+)?$/i;
const readmeSection = /^(?:#+ *|(?=.*\n[=-]+\n))licen[cs]e.*\n[\s\S]*/im;

/**
 * The folders of the packages, below the root, that these files are in; `files` as esbuild's metafile names them.
 */
export function packageFolders(files) {
  const found = files.map((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0]);
  return [...new Set(found.filter((folder) => folder !== undefined))].sort();
}

/**
 * Name, version, licence and its text of each package, as one text. Throws if a licence is not allowed, or if a package
 * says nowhere what its licence is.
 */
export function listLicences(root, folders) {
  const rule = "-".repeat(80);
  const parts = folders.map((folder) => {
    const { name, version, license, licenses } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
    const licence = license ?? licenses?.[0]?.type;
    if (!allowedLicences.includes(licence))
      throw new Error(`${name} ${version} has the licence ${licence}, which is not allowed`);
    return `${rule}\n${name} ${version}: ${licence}\n\n${readTexts(join(root, folder), name)}\n`;
  });
  return `Parts of task-phase that others wrote, with their licences.\n\n${parts.join("\n")}`;
}

function readTexts(folder, name) {
  const names = readdirSync(folder).sort();
  const read = (file) => readFileSync(join(folder, file), "utf8").trim();
  const texts = names.filter((file) => textFile.test(file)).map(read);
  if (texts.length > 0) return texts.join("\n\n");
  const said = names.filter((file) => readme.test(file)).map((file) => readmeSection.exec(read(file))?.[0]);
  if (said[0] === undefined) throw new Error(`${name} has no text of its licence`);
  return said[0];
}
