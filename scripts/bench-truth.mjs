// Cheats and honest work against task-phase, and against Ralph loops with the same agents: npm run bench:truth -- ...
//
//   node scripts/bench-truth.mjs [--only PATTERN] [--against task-phase,ralph,ralph-tests] [--jobs 2]
//                                [--sample N] [--seed S] [--labels] [--out FILE] [--write]
//
// --only     cases whose family or name matches this regular expression
// --sample   so many cases of each kind, chosen by the seed
//            `prove` too, by name alone: the command on the work of the cases that need no task
// --labels   plays nothing: only whether the work of each cheat is wrong and that of each honest case right
// --out      one JSON line a play; what the file holds already is not played again, so that a long run can continue
// --write    writes the tables into docs/truth.md; only with all cases and contenders
//
// Needs npm run build. Cases whose programs are not installed are left out by name. The exit code is 1 where a case
// could not be played or is not what its label says; a cheat that gets through is a figure, not an error.
import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const built = new URL("../dist/test/truth/", import.meta.url);
const load = (name) => import(new URL(`${name}.js`, built));
const { corpus } = await load("corpus");
const { contenderNames, extraNames, standsAlone } = await load("contenders");
const { checkLabel, missingTools, playCase } = await load("play-case");
const { listWrong, renderBuilds, renderTally } = await load("tally");
const { findTools } = await load("tools");
const { sample } = await load("sample");

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    against: { type: "string", default: contenderNames.join(",") },
    jobs: { type: "string", default: "2" },
    sample: { type: "string" },
    seed: { type: "string", default: "1" },
    labels: { type: "boolean", default: false },
    out: { type: "string" },
    write: { type: "boolean", default: false },
  },
});
const against = values.against.split(",");
for (const name of against)
  if (![...contenderNames, ...extraNames].includes(name)) throw new Error(`no contender ${name}: ${contenderNames}`);
if (values.write && (values.only ?? values.sample ?? (against.length < contenderNames.length || undefined))) {
  throw new Error("--write needs all cases and all contenders");
}

const tools = findTools();
const pattern = new RegExp(values.only ?? "", "u");
const wanted = corpus.filter(({ family, name }) => pattern.test(family) || pattern.test(name));
const chosen = values.sample === undefined ? wanted : sample(wanted, Number(values.sample), Number(values.seed));
const cases = chosen.filter((one) => missingTools(one, tools).length === 0);
const left = chosen.filter((one) => !cases.includes(one));
for (const one of left) console.log(`skipped: ${one.name} needs ${missingTools(one, tools).join(", ")}`);

const began = performance.now();
let failed = false;
const build = describeBuild();
if (values.labels) {
  await spread(cases, async (one) => {
    const problem = await checkLabel(one, tools);
    if (problem === null) return;
    failed = true;
    console.log(`${one.family}: ${one.name}: ${problem}`);
  });
  console.log(`${cases.length} labels, ${seconds()}`);
} else {
  const plays = values.out === undefined ? [] : readPlays(values.out);
  const isPlayed = (one, name) => plays.some((play) => play.name === one.name && play.contender === name);
  const isFor = (one, name) => !extraNames.includes(name) || standsAlone(one);
  const turns = cases.flatMap((one) =>
    against.filter((name) => isFor(one, name) && !isPlayed(one, name)).map((name) => [one, name]),
  );
  await spread(turns, async ([one, name]) => {
    try {
      const play = await playCase(one, name, tools, build);
      plays.push(play);
      if (values.out !== undefined) appendFileSync(values.out, `${JSON.stringify(play)}\n`);
    } catch (error) {
      failed = true;
      console.log(`not played: ${one.name} against ${name}: ${error.stack}`);
    }
  });
  for (const line of listWrong(plays).sort()) if (/^(?:task-phase|prove)/.test(line)) console.log(line);
  const tables = renderTally(plays);
  console.log(`\n${tables}\n${plays.length} plays, ${left.length} cases skipped, ${seconds()}`);
  if (values.write && !failed) writeTables(tables, plays);
}
if (failed) process.exitCode = 1;

async function spread(list, work) {
  const rest = [...list];
  const worker = async () => {
    for (let next = rest.shift(); next !== undefined; next = rest.shift()) await work(next);
  };
  await Promise.all(Array.from({ length: Number(values.jobs) }, worker));
}

/** Earlier plays of the cases and contenders of this call. */
function readPlays(file) {
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];
  const names = new Set(cases.map(({ name }) => name));
  return lines
    .map((line) => JSON.parse(line))
    .filter((play) => names.has(play.name) && against.includes(play.contender));
}

/** As `0.1.0 1a2b3c4d`, with a star if the tree differs from that commit; without git only the version. */
function describeBuild() {
  const root = fileURLToPath(new URL("..", import.meta.url));
  const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  const git = (...words) =>
    execFileSync("git", words, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  try {
    const star = git("status", "--porcelain", "--untracked-files=no").trim() === "" ? "" : "*";
    return `${version} ${git("rev-parse", "--short=8", "HEAD").trim()}${star}`;
  } catch {
    return version;
  }
}

function seconds() {
  return `${Math.round((performance.now() - began) / 1000)} s`;
}

function writeTables(tables, plays) {
  const file = fileURLToPath(new URL("../docs/truth.md", import.meta.url));
  const skipped =
    left.length === 0 ? "" : `\nLeft out, for want of programs: ${left.map(({ name }) => name).join(", ")}.\n`;
  const [before, rest] = readFileSync(file, "utf8").split("<!-- generated: truth -->\n");
  const [, after] = rest.split("<!-- end of generated: truth -->");
  const part = `<!-- generated: truth -->\n\n${renderBuilds(plays)}\n${tables}${skipped}\n<!-- end of generated: truth -->`;
  writeFileSync(file, `${before}${part}${after}`);
}
