// Preloaded: each Node process notes the peak of its memory, in KiB, when it ends.
const file = process.env.BENCH_RSS_FILE;
process.once("exit", () => {
  if (file) require("node:fs").appendFileSync(file, `${process.resourceUsage().maxRSS}\n`);
});
