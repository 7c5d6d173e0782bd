import { realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { usageError } from "../report/errors.ts";
import { isPlainUrl } from "../text/repo-url.ts";
import { showUrl } from "./push-target.ts";

/**
 * A remote that was named on a command line: a URL, `host:path`, or the path of a repository on this machine, which
 * becomes absolute. Throws a usage error for what git would take for a program, and for a path that leads nowhere and
 * is not known.
 */
export function requireRemote(given: string, cwd: string, isKnown: (path: string) => boolean = () => false): string {
  if (!isPlainUrl(given)) {
    throw usageError("TP_REMOTE_URL", `this is not the URL of a repository: ${showUrl(given)}`, {
      fix: "write https://HOST/PATH, ssh://HOST/PATH, HOST:PATH or the path of a repository",
    });
  }
  if (/^[A-Za-z][A-Za-z0-9+.-]*:\/\//.test(given) || /^[^/]*:/.test(given)) return given;
  try {
    return realpathSync(resolve(cwd, given));
  } catch {
    const missing = realpathSoFar(resolve(cwd, given));
    if (isKnown(missing)) return missing;
    throw usageError("TP_REMOTE_URL", "there is no repository at this path", {
      file: resolve(cwd, given),
      fix: "name an existing one, or a URL such as https://HOST/PATH",
    });
  }
}

/** The path as it was real when it was there, unless a link in what is missing led elsewhere. */
function realpathSoFar(path: string): string {
  const above = dirname(path);
  if (above === path) return path;
  try {
    return join(realpathSync(above), basename(path));
  } catch {
    return join(realpathSoFar(above), basename(path));
  }
}
