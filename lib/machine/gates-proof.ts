import { type Gate, type GateInput, gate } from "./gate.ts";

/** A candidate comes with something to look at. */
export function proofThere(input: GateInput): Gate {
  const { problem, files } = input.evidence;
  const there = problem === null && files.length > 0;
  const found = problem ?? (there ? `${files.length} ${files.length === 1 ? "file" : "files"}` : "no file there");
  return gate(
    "evidence_exists",
    "The Evidence location holds proof",
    there,
    found,
    `the Evidence location holds no proof: ${found}`,
  );
}

export function linkThere(input: GateInput): Gate {
  const { link_target, link_target_exists } = input.evidence;
  return gate(
    "evidence_link",
    "The Evidence link's target exists",
    link_target !== null && link_target_exists,
    link_target === null
      ? "there is no proof to link to"
      : link_target_exists
        ? link_target
        : `${link_target} does not exist`,
    link_target === null
      ? "there is no proof for the Evidence link to point to"
      : `the Evidence link points to ${link_target}, which does not exist`,
  );
}
