import { errorFinding, type Finding } from "../report/finding.ts";
import { splitShellWords } from "../text/shell-words.ts";
import { shorten } from "../text/shorten.ts";

export interface ValidatorWords {
  readonly name: string;
  readonly command: readonly string[];
}

/** Reads each `name=command line`. All that is wrong is given back beside what could be read. */
export function readValidators(texts: readonly string[]): { validators: ValidatorWords[]; findings: Finding[] } {
  const validators: ValidatorWords[] = [];
  const findings: Finding[] = [];
  for (const text of texts) {
    const read = readValidator(text);
    if ("code" in read) findings.push(read);
    else if (validators.some((one) => one.name === read.name)) findings.push(doubled(read.name));
    else validators.push(read);
  }
  return { validators, findings };
}

function readValidator(text: string): ValidatorWords | Finding {
  const at = text.indexOf("=");
  const name = text.slice(0, Math.max(at, 0)).trim();
  if (name === "") return problem(`'${shorten(text)}' has no name before an equals sign`);
  const split = splitShellWords(text.slice(at + 1));
  if (split.kind === "bad") {
    return problem(`the command of '${shorten(name)}': column ${split.column}: ${split.problem}`);
  }
  if ((split.words[0] ?? "") === "") return problem(`'${shorten(name)}' has no command after the equals sign`);
  return { name, command: split.words };
}

function doubled(name: string): Finding {
  return problem(`'${shorten(name)}' was given twice; each validator needs its own name`);
}

function problem(message: string): Finding {
  return errorFinding("TP_INIT_BAD_VALIDATOR", `--validator: ${message}`, {
    fix: "write --validator 'tests=npm test'; if it needs a shell, put the line into a script",
  });
}
