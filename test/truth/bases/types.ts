import path from "node:path";
import { projectRoot } from "../../cli/arrange.ts";
import type { Base } from "../case.ts";

/** TypeScript itself is that of this project: a program outside of the repo. */
const tsc = path.join(projectRoot, "node_modules", "typescript", "bin", "tsc");

const settings = (options: Record<string, unknown>) =>
  `${JSON.stringify({ compilerOptions: { strict: true, noEmit: true, target: "es2022", module: "nodenext", types: [], skipLibCheck: true, ...options }, include: ["src"] }, null, 2)}\n`;

const source = `export interface User {
  name: string;
  email?: string;
}

export function mailTo(user: User): string {
  return "mailto:" + user.email.toLowerCase();
}

export function initials(user) {
  return user.name.split(" ").map((word) => word[0]).join("");
}
`;

export const rightUser = `export interface User {
  name: string;
  email?: string;
}

export function mailTo(user: User): string | null {
  return user.email === undefined ? null : \`mailto:\${user.email.toLowerCase()}\`;
}

export function initials(user: User): string {
  return user.name.split(" ").map((word) => word[0] ?? "").join("");
}
`;

/** No tests: the check is the type checker, and what it finds is the work. */
export const types: Base = {
  needs: ["node"],
  title: "Make the types hold",
  brief:
    "src/user.ts passes the type checker under strict settings, without `any`; a user without an address has no mail link (null).",
  files: {
    "package.json": `${JSON.stringify({ name: "users", version: "1.0.0", private: true, type: "module" }, null, 2)}\n`,
    "tsconfig.json": settings({}),
    "src/user.ts": source,
  },
  validators: { types: ["node", tsc, "-p", "."] },
  right: { write: { "src/user.ts": rightUser } },
  oracle: {
    files: {
      "tsconfig.json": settings({}),
      "src/truth-oracle.ts": `import { initials, mailTo, type User } from "./user.js";\nconst user: User = { name: "A B" };\nexport const link: string | null = mailTo(user);\nexport const letters: string = initials(user);\n// @ts-expect-error no text is a user\ninitials("A B");\n`,
    },
    command: [
      "sh",
      "-ec",
      `! grep -nE "@ts-(ignore|nocheck|expect-error)|\\bany\\b|as unknown" src/user.ts; grep -q null src/user.ts; node ${JSON.stringify(tsc)} -p .; echo "oracle: right"`,
    ],
  },
};
