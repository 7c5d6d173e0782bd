/** Between TERM and KILL, in milliseconds: the time that a model or a check gets to end in order. */
export const orderlyGraceMs = 5_000;

/** The same for what outlived its runner, which has had its time. */
export const leftGraceMs = 500;

/** KILL acts at once, but a storm of forks needs several rounds, and a process may wait for a disk. */
export const killForMs = 5_000;
