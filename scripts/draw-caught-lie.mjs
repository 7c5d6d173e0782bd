// Draws docs/sample/caught-lie.svg from the records of the sample: node scripts/draw-caught-lie.mjs
//
// Each pass is a line, with the verdict that its pass.json holds. Under the pass that was sent to repair stand the last
// words of the agent and the checks that failed. `npm run sample` calls it; a test compares the file with the records.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const sample = fileURLToPath(new URL("../docs/sample/", import.meta.url));
const colours = { text: "#d6deeb", dim: "#8b9bb4", good: "#7bd88f", bad: "#ff7a85", agent: "#ffd479" };
const lineHeight = 24;

/** The picture of a finished task folder, as one SVG. */
export function drawCaughtLie(taskDir) {
  const passes = join(taskDir, "artifacts", "passes");
  const numbers = readdirSync(passes).filter((name) => /^\d+$/.test(name));
  const lines = [
    [["$ task-phase loop", "text"]],
    ...numbers
      .sort()
      .flatMap((name, index, all) => describePass(join(passes, name), join(passes, all[index - 1] ?? name))),
    [[readHeadline(taskDir), "good"]],
  ];
  const height = lines.length * lineHeight + 36;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 860 ${height}" width="860" height="${height}" role="img" aria-label="${escapeXml(lines.map(plain).join("; "))}">`,
    `<rect width="860" height="${height}" rx="8" fill="#10151f"/>`,
    '<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="15">',
    ...lines.map(
      (line, index) => `<text x="24" y="${(index + 1) * lineHeight + 12}">${line.map(drawPart).join("")}</text>`,
    ),
    "</g>",
    "</svg>",
    "",
  ].join("\n");
}

/** `earlier`: the folder of the pass before, whose agent made the claim where this pass has no model. */
function describePass(folder, earlier) {
  const { pass, model, before, decision, facts } = JSON.parse(readFileSync(join(folder, "pass.json"), "utf8"));
  const move = `pass ${pass}  ${`${before.state.phase} → ${decision.to}`.padEnd(20)}  `;
  if (decision.verdict !== "redirected")
    return [
      [
        [move, "text"],
        [decision.verdict, "good"],
        [model === null ? "  no model needed" : "", "dim"],
      ],
    ];
  const failed = facts.checks.results.filter(({ status }) => status !== "pass");
  return [
    [
      [move, "text"],
      [decision.verdict, "bad"],
      [model === null ? "  no model needed" : "", "dim"],
    ],
    [
      ["        the agent said:   ", "dim"],
      [`“${shorten(readFileSync(join(model === null ? earlier : folder, "stdout.log"), "utf8"))}”`, "agent"],
    ],
    ...failed.map(({ name, exit_code }) => [
      ["        the runner found: ", "dim"],
      [`${name} failed, exit code ${exit_code}`, "bad"],
    ]),
  ];
}

/** The first sentence. */
function shorten(text) {
  const sentence = /^.*?\.(?=\s)/su.exec(text.trim())?.[0] ?? text.trim();
  return sentence.length > 64 ? `${sentence.slice(0, 63)}…` : sentence;
}

function readHeadline(taskDir) {
  const headline = /^> \*\*(Done\..*)\*\*$/mu.exec(readFileSync(join(taskDir, "SUMMARY.md"), "utf8"))?.[1];
  if (headline === undefined) throw new Error(`SUMMARY.md of ${taskDir} has no headline`);
  return headline;
}

function drawPart([text, colour]) {
  // Browsers fold spaces in SVG text.
  return `<tspan fill="${colours[colour]}">${escapeXml(text).replaceAll(" ", "\u00a0")}</tspan>`;
}

function plain(line) {
  return line.map(([text]) => text.trim()).join(" ");
}

function escapeXml(text) {
  return text.replace(/[&<>"]/gu, (character) => `&#${character.charCodeAt(0)};`);
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  writeFileSync(join(sample, "caught-lie.svg"), drawCaughtLie(join(sample, "T-001-stream-csv")));
}
