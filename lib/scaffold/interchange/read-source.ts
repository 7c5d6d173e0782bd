import { isUtf8 } from "node:buffer";
import { realpathSync } from "node:fs";
import path from "node:path";
import { renderError } from "../../store/error-code.ts";
import { type ReadResult, readRegularFile } from "../../store/read-file.ts";
import { dataError, usageError } from "../../text/errors.ts";
import { placeOf } from "../../text/redact.ts";
import { type JsonNode, readJson } from "./json-text.ts";

/** A prd.json of a thousand stories has about 1 MiB. */
const maxBytes = 4 * 1024 * 1024;

/** A JSON file as it is, and its values with their places. */
export interface JsonFile {
  readonly file: string;
  /** Without the byte-order mark; all offsets are of this text. */
  readonly text: string;
  readonly bom: boolean;
  readonly root: JsonNode;
}

/** The bytes of a file that a person named; links are followed. Throws if it is not there or no regular file. */
export function readNamedFile(file: string, flag: string): Buffer {
  const read = readRegularFile(realPath(file, flag), maxBytes);
  if (read.kind === "file") return read.bytes;
  throw dataError("TP_SOURCE_UNREADABLE", `${flag} names a file that cannot be read: ${renderOther(read)}`, {
    file,
    fix: `write ${flag} with a regular file of at most ${maxBytes / 1024 / 1024} MiB`,
  });
}

/** Throws a data error that names line and column if the bytes are not JSON. */
export function readJsonFile(bytes: Buffer, file: string): JsonFile {
  if (!isUtf8(bytes)) {
    const wide = [bytes[0], bytes[1]].every((byte) => byte === 0xff || byte === 0xfe);
    throw dataError("TP_SOURCE_ENCODING", `the file is ${wide ? "UTF-16" : "not valid UTF-8"}; UTF-8 is expected`, {
      file,
      fix: "save the file as UTF-8",
    });
  }
  const decoded = bytes.toString("utf8");
  const bom = decoded.startsWith("\uFEFF");
  const text = bom ? decoded.slice(1) : decoded;
  const read = readJson(text);
  if (read.kind === "json") return { file, text, bom, root: read.root };
  const { problem, offset, fix } = read;
  throw dataError("TP_SOURCE_JSON", `not JSON: ${problem}`, { file, ...placeOf(text, offset), fix });
}

/** True if the file is meant as JSON: its name says so, or else its first character. */
export function isMeantAsJson(bytes: Buffer, file: string): boolean {
  const extension = path.extname(file).toLowerCase();
  if (extension === ".json") return true;
  if ([".md", ".markdown", ".txt"].includes(extension)) return false;
  return /^\uFEFF?\s*(?:\{|\[\s*[{\]])/.test(bytes.subarray(0, 1024).toString("utf8"));
}

function realPath(file: string, flag: string): string {
  try {
    return realpathSync(file);
  } catch (error) {
    throw usageError("TP_SOURCE_MISSING", `${flag} names a file that cannot be opened: ${renderError(error)}`, {
      file,
      fix: `write ${flag} with an existing file`,
    });
  }
}

function renderOther(read: Exclude<ReadResult, { kind: "file" }>): string {
  if (read.kind === "too_big") return `it has ${Math.ceil(read.size / 1024 / 1024)} MiB`;
  if (read.kind === "unreadable") return `the system reports ${read.code}`;
  if (read.kind === "missing") return "it is missing";
  return read.kind === "special" ? "it is a pipe, a socket or a device" : `it is a ${read.kind}`;
}
