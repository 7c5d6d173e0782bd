/** The first word of the program's call, which no help shows: only a worker makes it. */
export const leasedPassWord = "leased-pass";
