/** Milliseconds between TERM and KILL, for a model or check to end in order. */
export const orderlyGraceMs = 5_000;

/** For what outlived its runner. */
export const leftGraceMs = 500;

/** KILL acts at once, but a storm of forks takes several rounds, and a process may wait for a disk. */
export const killForMs = 5_000;
