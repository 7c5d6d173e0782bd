export interface ReviewGround {
  readonly userFacing: boolean;
  /** Title and text of the brief. */
  readonly wish: string;
  /** Repo paths changed so far; empty before implement. */
  readonly paths: readonly string[];
}

const words = {
  security:
    /\b(?:auth(?:n|z|ent\w*|ori[sz]\w*)?|log[ -]?ins?|passwords?|secrets?|credentials?|tokens?|permissions?|encrypt\w*|uploads?|sql|injections?|payments?|security|vulnerab\w+)\b/i,
  architecture: /\b(?:refactor\w*|migrat\w+|redesign\w*|architecture|rewrit\w+|moderni[sz]\w+)\b/i,
} as const;

const paths = {
  security:
    /(?:^|[/._-])(?:auth(?!ors?\b)|login|session|token|secret|crypt|password|permission|oauth|jwt|cors|csrf|upload|payment|sql|migrations?|middleware)|(?:^|\/)(?:Dockerfile|package(?:-lock)?\.json|requirements[^/]*\.txt|pyproject\.toml|go\.mod|Cargo\.toml)$|^\.github\/workflows\//i,
  prose: /\.(?:md|mdx|txt|rst|adoc|png|jpe?g|gif|svg)$/i,
  seen: /\.(?:html?|css|s[ac]ss|less|tsx|jsx|vue|svelte)$|(?:^|\/)(?:templates|views|locales)\//i,
} as const;

/** More files are more than one thought. */
const manyPaths = 10;

/** In the order of asking; docs/reviewers.md describes it. */
const table = [
  {
    role: "architecture",
    when: ({ wish, paths: changed }) => words.architecture.test(wish) || changed.length >= manyPaths,
  },
  {
    role: "security",
    when: ({ wish, paths: changed }) => words.security.test(wish) || changed.some((path) => paths.security.test(path)),
  },
  { role: "tests", when: ({ paths: changed }) => changed.some((path) => !paths.prose.test(path)) },
  { role: "requirements", when: () => true },
  {
    role: "usability",
    when: ({ userFacing, paths: changed }) => userFacing || changed.some((path) => paths.seen.test(path)),
  },
] as const satisfies readonly { readonly role: string; readonly when: (ground: ReviewGround) => boolean }[];

export type AutoRole = (typeof table)[number]["role"];

/** The same brief and paths always give the same roles. */
export function chooseReviewers(ground: ReviewGround): AutoRole[] {
  return table.filter(({ when }) => when(ground)).map(({ role }) => role);
}
