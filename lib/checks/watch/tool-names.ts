/** Modules that tests are made of, or that everything is. Another member in one of them is another test. */
const scriptModules =
  /^(?:node:)?(?:assert(?:\/strict)?|test|fs(?:\/promises)?|module|child_process|chai|expect|sinon|vitest|@jest\/globals|@playwright\/test)$/;
const pythonModules = /^(?:unittest|pytest|_pytest|pluggy|builtins|doctest|importlib|subprocess)(?:\.|$)/;
const mostNames = 50;

/** The names under which a source file has such modules, or what is in them. */
export function readToolNames(text: string, family: "script" | "python"): string[] {
  const found = family === "script" ? scriptNames(text) : pythonNames(text);
  return [...new Set(found)].filter((name) => /^[A-Za-z_$][\w$]*$/.test(name)).slice(0, mostNames);
}

function scriptNames(text: string): string[] {
  const imports = [...text.matchAll(/\bimport\s+([\w$*{}\s,]{1,500}?)\s+from\s*["']([^"'\n]{1,100})["']/g)];
  const loads = [
    ...text.matchAll(
      /\b(?:const|let|var)\s+([\w$]{1,60}|\{[^}]{1,300}\})\s*=[^;\n]{0,100}?\(\s*["']([^"'\n]{1,100})["']\s*\)/g,
    ),
  ];
  return [...imports, ...loads].flatMap(([, names = "", from = ""]) =>
    scriptModules.test(from)
      ? names.split(/[{},]/).map(
          (name) =>
            name
              .trim()
              .split(/\s+(?:as\s+)?|:\s*/)
              .at(-1) ?? "",
        )
      : [],
  );
}

function pythonNames(text: string): string[] {
  const names: string[] = [];
  for (const [, list = ""] of text.matchAll(/^[ \t]*import[ \t]+([\w., \t]{1,300})$/gm)) {
    for (const one of list.split(",")) {
      const [module = "", , alias] = one.trim().split(/\s+/);
      if (pythonModules.test(module) && alias !== undefined) names.push(alias);
    }
  }
  for (const [, module = "", list = ""] of text.matchAll(
    /^[ \t]*from[ \t]+([\w.]{1,100})[ \t]+import[ \t]+\(?([\w, \t\n]{1,500})/gm,
  )) {
    if (pythonModules.test(module)) names.push(...list.split(",").map((one) => one.trim().split(/\s+/).at(-1) ?? ""));
  }
  return names;
}
