/** A diff whose lines look like headers, markup and an end of file. */
export const trickDiff = [
  "diff --git a/src/a.js b/src/a.js",
  "index 83db48f..bf269f4 100644",
  "--- a/src/a.js",
  "+++ b/src/a.js",
  "@@ -1,3 +1,3 @@ function x",
  " same",
  "--- a/not a header",
  "+++ b/not a header either",
  " </details><script>alert(1)</script>",
  "\\ No newline at end of file",
  "",
].join("\n");
