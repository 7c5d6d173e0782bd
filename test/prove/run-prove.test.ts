import assert from "node:assert/strict";
import { test } from "node:test";
import { judgeProof } from "../../lib/prove/judge-proof.ts";
import { runProve } from "../../lib/prove/run-prove.ts";
import type { PassPorts } from "../../lib/task/records/ports.ts";
import { createRedactor } from "../../lib/text/redact.ts";
import { makeWorld } from "../cli/arrange.ts";

const reason = "the 15m of --timeout are over";

test("checks that ran in time are judged, the others are named, and the next call runs them", async (t) => {
  const world = makeWorld(t);
  world.initRepo({ "src/round.js": "exports.round = (x) => Math.floor(x);\n", "test/round.test.js": "// none yet\n" });
  world.write("repo/src/round.js", "exports.round = (x) => Math.round(x);\n");
  world.write("repo/test/round.test.js", 'require("node:assert").equal(require("../src/round.js").round(2.5), 3);\n');

  const prove = async (word: string, isPerson = false) => {
    const [late, person] = [new AbortController(), new AbortController()];
    const said: string[] = [];
    const ports: PassPorts = {
      ...{ env: world.env, home: world.env.HOME ?? "", cwd: world.path("repo") },
      ...{ now: () => new Date(), redactor: createRedactor({}), signal: person.signal },
      tell: (_stage, text) => {
        said.push(text);
        if (text.includes(word)) (isPerson ? person : late).abort();
      },
    };
    const call = {
      ...{ folder: world.path("repo"), base: null, checks: ["node test/round.test.js"], quick: false },
      ...{ config: null, page: null, since: null, late: { signal: late.signal, reason } },
    };
    return { end: await runProve(call, ports), said };
  };

  for (const [word, headline, exitName] of [
    ["the code before", `Not judged: ${reason}`, "failure"],
    ["without this work", `The check passes; whether it notices this work was not shown: ${reason}`, "ok"],
    ["made wrong", `was not shown: wrong versions of it were not judged: ${reason}`, "ok"],
  ] as const) {
    const { end, said } = await prove(word);
    assert(end !== null);
    assert.equal(end.known, false, word);
    assert(said.at(-1)?.includes(word), "nothing runs after it");
    const judged = judgeProof(end.proven, "main", { acceptTests: true, requireShown: false });
    assert(judged.keys.headline.includes(headline), judged.keys.headline);
    assert.equal(judged.keys.grade, "unshown");
    assert.equal(judged.exitName, exitName);
  }
  assert.equal((await prove("without this work", true)).end, null, "a person's signal ends it");
});
