import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { openDatabase } from "../../../lib/fleet/engine/database.ts";
import { readEngineError } from "../../../lib/fleet/engine/engine-error.ts";
import { TaskPhaseError } from "../../../lib/text/errors.ts";

const urlEnv = "ENGINE_URL";

function open(url: string | undefined) {
  return openDatabase({ pg }, { urlEnv, env: url === undefined ? {} : { [urlEnv]: url } });
}

function describe(error: unknown): string {
  if (!(error instanceof TaskPhaseError)) return `as it is: ${(error as Error).message}`;
  assert.equal(error.cause, undefined);
  return `${error.exitName} ${error.findings.map(({ code, message }) => `${code}: ${message}`).join()}`;
}

const fromServer = (code: string, message: string) => Object.assign(new Error(message), { code, severity: "ERROR" });
const fromNetwork = (code: string, message: string) => Object.assign(new Error(message), { code });

test("each way in which a server or a network fails has one meaning", () => {
  const secret = "at db.internal:5432 for user bob with hunter2hunter2";
  const meanings: readonly (readonly [Error, string])[] = [
    [
      fromNetwork("ECONNREFUSED", secret),
      "locked TP_ENGINE_UNREACHABLE: the engine of ENGINE_URL does not answer (ECONNREFUSED)",
    ],
    [
      fromNetwork("ENOTFOUND", secret),
      "locked TP_ENGINE_UNREACHABLE: the engine of ENGINE_URL does not answer (ENOTFOUND)",
    ],
    [fromServer("57P01", secret), "locked TP_ENGINE_UNREACHABLE: the engine of ENGINE_URL does not answer (57P01)"],
    [fromServer("53300", secret), "locked TP_ENGINE_UNREACHABLE: the engine of ENGINE_URL does not answer (53300)"],
    [fromServer("25006", secret), "locked TP_ENGINE_UNREACHABLE: the engine of ENGINE_URL does not answer (25006)"],
    [fromServer("40P01", secret), "locked TP_ENGINE_UNREACHABLE: the engine of ENGINE_URL does not answer (40P01)"],
    [
      new Error("Connection terminated unexpectedly"),
      "locked TP_ENGINE_UNREACHABLE: the engine of ENGINE_URL does not answer",
    ],
    [
      new Error("timeout exceeded when trying to connect"),
      "locked TP_ENGINE_UNREACHABLE: the engine of ENGINE_URL does not answer",
    ],
    [new Error("Query read timeout"), "locked TP_ENGINE_UNREACHABLE: the engine of ENGINE_URL does not answer"],
    [
      fromServer("3F000", secret),
      "config TP_ENGINE_NOT_SET_UP: the engine of ENGINE_URL is not set up: its tables are missing or older than this version (3F000)",
    ],
    [
      fromServer("42P01", secret),
      "config TP_ENGINE_NOT_SET_UP: the engine of ENGINE_URL is not set up: its tables are missing or older than this version (42P01)",
    ],
    [
      fromServer("28P01", secret),
      "config TP_ENGINE_REFUSED: the engine of ENGINE_URL refuses this login, database or certificate (28P01)",
    ],
    [
      fromServer("3D000", secret),
      "config TP_ENGINE_REFUSED: the engine of ENGINE_URL refuses this login, database or certificate (3D000)",
    ],
    [
      fromNetwork("SELF_SIGNED_CERT_IN_CHAIN", secret),
      "config TP_ENGINE_REFUSED: the engine of ENGINE_URL refuses this login, database or certificate (SELF_SIGNED_CERT_IN_CHAIN)",
    ],
    [
      new Error("SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string"),
      "config TP_ENGINE_REFUSED: the engine of ENGINE_URL refuses this login, database or certificate (login)",
    ],
    [
      fromServer("23514", "new row violates a check"),
      "failure TP_ENGINE_FAILED: the engine of ENGINE_URL failed: new row violates a check (23514)",
    ],
    [fromNetwork("ERR_ASSERTION", "Key must be a string"), "as it is: Key must be a string"],
    [new TypeError("x is not a function"), "as it is: x is not a function"],
  ];
  assert.deepEqual(
    meanings.map(([error]) => describe(readEngineError(urlEnv, error))),
    meanings.map(([, meaning]) => meaning),
  );
});

test("a URL that is missing or cannot be read is never shown", () => {
  const refusals = [
    undefined,
    "",
    "mysql://bob:hunter2hunter2@db/x",
    "bob:hunter2hunter2@db",
    "postgres://bob:hunter2hunter2@:::/x",
  ].map((url) => {
    try {
      open(url);
      return "no refusal";
    } catch (error) {
      return describe(error);
    }
  });
  const unset =
    "config TP_ENGINE_URL: the environment variable ENGINE_URL is not set; it must hold the URL of a PostgreSQL database";
  const other =
    "config TP_ENGINE_URL: the environment variable ENGINE_URL does not hold the URL of a PostgreSQL database";
  assert.deepEqual(refusals, [unset, unset, other, other, other]);
});

test("a server that is not there is one clear error, with nothing of its URL", async () => {
  const database = open("postgres://bob:hunter2hunter2@127.0.0.1:1/private");
  const meaning = "locked TP_ENGINE_UNREACHABLE: the engine of ENGINE_URL does not answer (ECONNREFUSED)";
  const failures = [
    await database.query("SELECT 1").catch(describe),
    await database.transaction(async () => 1).catch(describe),
  ];
  assert.deepEqual(failures, [meaning, meaning]);
  await database.close();
});
