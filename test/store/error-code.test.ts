import assert from "node:assert/strict";
import { constants } from "node:os";
import { describe, test } from "node:test";
import {
  errorCode,
  lookOr,
  machineFault,
  passMachineFault,
  renderError,
  storeError,
} from "../../lib/store/error-code.ts";
import { dataError, diskError } from "../../lib/text/errors.ts";

/** As a call of the system fails. */
function systemError(code: string, more: object = {}): Error {
  return Object.assign(new Error(`${code}: it failed`), { code, ...more });
}

const nameless = (errno: number, more = {}): Error => systemError(`Unknown system error -${errno}`, more);
const quota = nameless(constants.errno.EDQUOT);

test("an error has the code of the system, also where node knows no name for it", () => {
  assert.deepEqual(
    [systemError("ENOSPC"), quota, new Error("a defect"), "ENOSPC", null, { code: 7 }, { code: "EIO" }].map(errorCode),
    ["ENOSPC", "EDQUOT", "UNKNOWN", "UNKNOWN", "UNKNOWN", "UNKNOWN", "EIO"],
  );
  assert.equal(renderError(quota), "the disk quota is used up (EDQUOT)");
  assert.equal(renderError(nameless(constants.errno.ESTALE)), "the file server has lost it (ESTALE)");
  assert.equal(renderError(systemError("EWEIRD")), "the system refused (EWEIRD)");
});

test("an error of the store says what failed, where, why, and what to do", () => {
  const cases: Readonly<Record<string, [string, RegExp]>> = {
    ENOSPC: ["cannot write /a: the disk is full (ENOSPC)", /^free some space/],
    EISDIR: ["cannot write /a: there is a folder (EISDIR)", /^move the folder away$/],
    EACCES: ["cannot write /a: permission is denied (EACCES)", /^give this user write permission/],
    ENOENT: ["cannot write /a: it does not exist (ENOENT)", /^make what is missing/],
    EXDEV: ["cannot write /a: it cannot be moved from one file system to another (EXDEV)", /^keep \.task-phase on/],
    EWEIRD: ["cannot write /a: the system refused (EWEIRD)", /^give this user write permission/],
  };
  for (const [code, [message, fix]] of Object.entries(cases)) {
    const error = storeError("write", "/a", systemError(code));
    assert.deepEqual([error.message, error.exitName, error.findings[0]?.code], [message, "failure", "TP_DISK"]);
    assert.match(error.findings[0]?.fix ?? "", fix);
  }
  const own = storeError("write", "/a", new Error("it changes while it is being read"));
  assert.equal(own.message, "cannot write /a: it changes while it is being read (UNKNOWN)");
  const said = dataError("TP_PACK", "already said");
  assert.equal(storeError("write", "/a", said), said);
});

describe("a fault of the machine", () => {
  const full = systemError("ENOSPC", { syscall: "write", path: "/a" });
  const machine = diskError("TP_MACHINE", "no process can be started");
  const disk = diskError("TP_DISK", "cannot write", {}, full);
  const cases: Readonly<Record<string, [unknown, string | null]>> = {
    "is an error of the system": [full, "cannot write /a: the disk is full (ENOSPC)"],
    "is named without a path too": [quota, "cannot use a file: the disk quota is used up (EDQUOT)"],
    "is a file that its server has lost": [
      nameless(constants.errno.ESTALE, { syscall: "read", path: "/a" }),
      "cannot read /a: the file server has lost it (ESTALE)",
    ],
    "is a file system that is gone": [
      systemError("ENOTCONN", { syscall: "lstat", path: "/a" }),
      "cannot lstat /a: the file system is no longer there (ENOTCONN)",
    ],
    "is a damaged file system": [
      nameless(117, { syscall: "read", path: "/a" }),
      "cannot read /a: the system refused (Unknown system error -117)",
    ],
    "is found in the cause": [new Error("x", { cause: full }), "cannot write /a: the disk is full (ENOSPC)"],
    "is an error that already says so": [disk, disk.message],
    "is a machine that can start no process": [machine, machine.message],
    "is no fact about a file": [systemError("ENOENT"), null],
    "is no finding about a file": [dataError("TP_X", "wrong"), null],
    "is no error of the disk without its cause": [diskError("TP_DISK", "x", {}, systemError("EACCES")), null],
    "is no defect": [new Error("x"), null],
    "is nothing else that was thrown": ["ENOSPC", null],
  };
  for (const [name, [error, message]] of Object.entries(cases)) {
    test(name, () => {
      assert.equal(machineFault(error)?.message ?? null, message);
      if (message === null) assert.doesNotThrow(() => passMachineFault(error));
      else assert.throws(() => passMachineFault(error), { message });
    });
  }
});

test("a look that fails has the other value, unless the machine failed", () => {
  const failing = (code: string) => () => {
    throw systemError(code, { syscall: "lstat", path: "/a" });
  };
  assert.equal(
    lookOr(() => 1, null),
    1,
  );
  assert.equal(lookOr(failing("EACCES"), null), null);
  assert.throws(() => lookOr(failing("EIO"), null), { name: "TaskPhaseError" });
});
