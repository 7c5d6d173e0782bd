import * as v from "valibot";
import { about, recordOf, type Shape } from "../text/shape.ts";

/** The stored entry of one path. */
export const manifestEntryShape = v.object({
  type: v.picklist(["file", "folder", "link", "special"]),
  mode: about(v.number(), "permission bits; 0 for links, which have none of their own"),
  sha256: v.exactOptional(about(v.string(), "of a file; missing if it may not be read")),
  size: v.exactOptional(v.number()),
  at: v.exactOptional(
    about(v.string(), "where in the packs its bytes are; missing if they are a file by their digest"),
  ),
  target: v.exactOptional(about(v.string(), "of a link, as `pathKey` writes it")),
  passage: v.exactOptional(
    about(v.literal(true), "above a root: only what it is counts, not its mode, and it may have other contents"),
  ),
});

/** Plain JSON. Keys of `entries` are absolute paths, as `pathKey` writes them. */
export const manifestShape = v.object({ roots: v.array(v.string()), entries: recordOf(manifestEntryShape) });

export type ManifestEntry = Shape<typeof manifestEntryShape>;
export type Manifest = Shape<typeof manifestShape>;
