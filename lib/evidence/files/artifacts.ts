/** The files under artifacts/: one entry point for the rooms that ask. */
export { type ArtifactRow, listArtifacts, runnerArtifact } from "./list-artifacts.ts";
export { findProof, plainLocation } from "./proof.ts";
