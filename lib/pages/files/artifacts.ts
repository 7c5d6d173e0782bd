/** The files under artifacts/: one entry point for the rooms that ask. */
export { type ArtifactRow, type KnownFiles, listArtifacts, runnerArtifact } from "./list-artifacts.ts";
export { findProof, plainLocation } from "./proof.ts";
