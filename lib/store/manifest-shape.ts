import * as v from "valibot";
import { recordOf, whole } from "../text/read-shape.ts";
import type { Manifest, ManifestEntry } from "./manifest.ts";

/** What stood at one path, as it was stored. */
export const manifestEntryShape = whole<ManifestEntry>()({
  type: v.picklist(["file", "folder", "link", "special"]),
  mode: v.number(),
  sha256: v.exactOptional(v.string()),
  size: v.exactOptional(v.number()),
  target: v.exactOptional(v.string()),
  passage: v.exactOptional(v.literal(true)),
});

export const manifestShape = whole<Manifest>()({
  roots: v.array(v.string()),
  // The compiler takes no readonly record for one that may be written to.
  entries: v.pipe(
    recordOf(manifestEntryShape),
    v.transform((entries): Record<string, ManifestEntry> => ({ ...entries })),
  ),
});
