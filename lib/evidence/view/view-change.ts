import { listChangedFiles, sumChanges } from "../diff/changed-files.ts";
import type { EvidenceModel } from "../model/evidence-model.ts";
import { whyNoPatch } from "../model/patches.ts";
import type { PagePatch } from "../page/page-files.ts";
import { plural } from "./words.ts";

/**
 * What the task changed in the repo, file by file; without a patch that can be read, the paths that the journal names.
 */
export function viewChange(model: EvidenceModel, patches: readonly PagePatch[]) {
  const files = listChangedFiles(patches.flatMap(({ read }) => ("problem" in read ? [] : [read.text])));
  const paths = files.length === 0 ? model.changedPaths : [];
  return {
    files,
    paths,
    summary: sumChanges(files) || (paths.length === 0 ? "" : plural(paths.length, "changed path")),
    noPatch: files.length > 0 || paths.length === 0 ? "" : whyNoPatch(model) || "it cannot be read here",
  };
}
