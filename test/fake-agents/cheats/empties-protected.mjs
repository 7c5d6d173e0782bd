// Writes AGENT_PROTECTED, a path of the repo that no pass may change; empty, or with AGENT_TEXT in it.
import { workHonestly, writeInRepo } from "../honest.mjs";

workHonestly();
writeInRepo(process.env.AGENT_PROTECTED ?? "test/acceptance/answer.test.mjs", process.env.AGENT_TEXT ?? "");
