import { dataError } from "../report/errors.ts";
import { readRegularFile } from "../store/read-file.ts";
import { realOr } from "../store/real-path.ts";
import { shorten } from "../text/shorten.ts";

/** Who may sign: the text of an allowed signers file (ssh-keygen(1), ALLOWED SIGNERS), read once. */
export interface AllowedSigners {
  readonly file: string;
  /** Without a byte-order mark, its lines ended by LF. */
  readonly text: string;
}

const maxBytes = 4 * 1024 * 1024;
/** Names, options, the type of a key, the key, a comment. */
const plainLine =
  /^(?:"[^"]+"|[^\s"]+)[ \t]+(?:.*[ \t])?(?:ssh|ecdsa|sk)-[\w@.-]+[ \t]+[A-Za-z0-9+/]+={0,2}(?:[ \t].*)?$/;

/**
 * Throws a data error TP_ALLOWED_SIGNERS that names the line, where ssh-keygen would pass over it: a line that is lost
 * so looks like a signer who may not sign. An empty file would fail every commit, and is an error too.
 */
export function readAllowedSigners(file: string): AllowedSigners {
  const bad = (message: string, line: number | null, fix: string) =>
    dataError("TP_ALLOWED_SIGNERS", message, { file, line, fix });
  const form = 'write one signer a line: NAME namespaces="git,task-phase" KEYTYPE KEY, as in a .pub file';
  const read = readRegularFile(realOr(file), maxBytes);
  if (read.kind !== "file")
    throw bad(`the allowed signers cannot be read (${read.kind.replace("_", " ")})`, null, "correct the path");
  const text = read.bytes
    .toString("utf8")
    .replace(/^\ufeff/, "")
    .replaceAll("\r\n", "\n");
  let signers = 0;
  for (const [index, line] of text.split("\n").entries()) {
    const words = line.trim();
    if (words === "" || words.startsWith("#")) continue;
    if (!plainLine.test(words) || words.includes("\0"))
      throw bad(`this line does not name a signer: ${shorten(words, 60)}`, index + 1, form);
    signers += 1;
  }
  if (signers === 0) throw bad("the file names no allowed signer", null, form);
  return { file, text: text.endsWith("\n") ? text : `${text}\n` };
}
