/** What a model and its checks left behind in the task that is being repaired. */

const colours = [31, 32, 33, 34, 35, 36, 37, 90, 91, 92, 93, 94, 95, 96, 97];

/** A log as test runners write it: every colour that there is, bold, reversed, by number and by value. */
export const coloured = [
  "$ npm test",
  "",
  ...colours.map((colour) => `\u001b[${colour}mforeground ${colour}\u001b[0m \u001b[1;${colour}mbold\u001b[22;39m end`),
  ...colours.map(
    (colour) => `\u001b[${colour + 10}mbackground ${colour + 10}\u001b[49m \u001b[7;${colour}mreversed\u001b[0m`,
  ),
  "\u001b[38;5;226mby number\u001b[0m \u001b[38;2;250;240;10mby value\u001b[0m \u001b[48;5;19mbehind\u001b[0m",
  "\u001b[2Kprogress 10 %\rprogress 100 %",
  "not ok 7 - streams 10,000 rows without holding them",
  "[task-phase: exit code 1]",
  "",
].join("\n");

export const patch = [
  "diff --git a/src/export.js b/src/export.js",
  "index 1f2e3d4..5a6b7c8 100644",
  "--- a/src/export.js",
  "+++ b/src/export.js",
  "@@ -1,7 +1,9 @@ export function exportOrders(orders) {",
  " export function* exportOrders(orders) {",
  '-  return orders.map((order) => [order.id, order.customer, order.total].join(",")).join("\\n");',
  "+  for (const order of orders) {",
  `+    yield quote(order); // ${"a long line that nobody broke, ".repeat(8)}64`,
  "+  }",
  " }",
  "diff --git a/test/export.test.js b/test/export.test.js",
  "new file mode 100644",
  "--- /dev/null",
  "+++ b/test/export.test.js",
  "@@ -0,0 +1,2 @@",
  '+test("streams", () => {});',
  "+",
  "",
].join("\n");
