/** The few types of the DOM that the tests of the pages use: the program is compiled without them. */

interface Box {
  readonly width: number;
  readonly height: number;
  readonly top: number;
  readonly left: number;
  readonly right: number;
  readonly bottom: number;
}

interface Style {
  readonly [property: string]: string;
}

export interface Part {
  readonly localName: string;
  readonly id: string;
  readonly className: unknown;
  readonly textContent: string | null;
  readonly scrollWidth: number;
  readonly scrollHeight: number;
  readonly clientWidth: number;
  readonly clientHeight: number;
  readonly tabIndex: number;
  readonly open?: boolean;
  readonly parentElement: Part | null;
  readonly childNodes: Iterable<{ readonly nodeType: number; readonly textContent: string | null }>;
  getAttribute(name: string): string | null;
  hasAttribute(name: string): boolean;
  getBoundingClientRect(): Box;
  checkVisibility(): boolean;
  matches(selector: string): boolean;
  closest(selector: string): Part | null;
  querySelector(selector: string): Part | null;
  querySelectorAll(selector: string): Iterable<Part>;
  getScreenCTM?(): { readonly c: number; readonly d: number } | null;
}

export interface InPage {
  readonly document: Part & {
    readonly documentElement: Part;
    readonly body: Part;
    readonly activeElement: Part | null;
  };
  readonly innerWidth: number;
  readonly innerHeight: number;
  getComputedStyle(part: Part): Style;
}
