import type { InPage, Part } from "./page-parts.ts";

/**
 * What tests ask of an open page. These functions are sent to the browser as text: each stands alone, and names nothing
 * outside itself but the page.
 */

export interface Layout {
  /** What reaches beyond the right edge, where the document scrolls sideways. */
  readonly beyond: string[];
  /** Text in smaller than 12 px. */
  readonly tiny: string[];
  /** Boxes that hide a part of what stands in them. */
  readonly cut: string[];
  /** Links of the navigation, and summaries, on lines lower than 24 px with the space between them: what WCAG 2.2 asks of a target at the least. */
  readonly low: string[];
}

/** At most five of each, named so that they can be found. */
export function measureLayout(): Layout {
  const { document, getComputedStyle } = globalThis as unknown as InPage;
  const layout: Layout = { beyond: [], tiny: [], cut: [], low: [] };
  const note = (list: string[], part: Part, what: string) => {
    if (list.length >= 5) return;
    const text = (part.textContent ?? "").replace(/\s+/g, " ").trim().slice(0, 40);
    list.push(`${part.localName}.${part.getAttribute("class") ?? ""} ${what}: ${text}`);
  };
  const root = document.documentElement;
  const sideways = root.scrollWidth > root.clientWidth;
  for (const part of document.body.querySelectorAll("*")) {
    if (!part.checkVisibility()) continue;
    const box = part.getBoundingClientRect();
    const style = getComputedStyle(part);
    // Kept for screen readers only.
    if (style.clipPath !== "none" || (box.width <= 1 && box.height <= 1)) continue;
    if (sideways && box.right > root.clientWidth + 0.5)
      note(layout.beyond, part, `ends at ${Math.round(box.right)} px`);
    const hasText = [...part.childNodes].some((node) => node.nodeType === 3 && (node.textContent ?? "").trim() !== "");
    if (hasText) {
      const drawn = part.getScreenCTM?.();
      // Turned text keeps its size: the matrix holds it in both of its numbers.
      const scale = drawn == null ? 1 : Math.hypot(drawn.c, drawn.d);
      const size = Number.parseFloat(style.fontSize ?? "") * scale;
      if (size < 11.99) note(layout.tiny, part, `${size.toFixed(1)} px`);
    }
    const hides = (value: string | undefined) => value === "hidden" || value === "clip";
    const wider = hides(style.overflowX) && part.scrollWidth > part.clientWidth + 1;
    const taller = hides(style.overflowY) && part.scrollHeight > part.clientHeight + 1;
    if ((wider || taller) && part.clientWidth > 0) note(layout.cut, part, "hides a part");
    if (part.matches("nav a, summary")) {
      const item = part.closest("li, summary") ?? part;
      const gap =
        item.parentElement === null ? 0 : Number.parseFloat(getComputedStyle(item.parentElement).rowGap ?? "");
      const room = item.getBoundingClientRect().height + (Number.isNaN(gap) ? 0 : gap);
      if (room < 24) note(layout.low, part, `${room.toFixed(1)} px`);
    }
  }
  return layout;
}

export interface Addresses {
  readonly hrefs: string[];
  readonly ids: string[];
  /** What `aria-labelledby`, `aria-describedby`, `for` and `headers` point to. */
  readonly named: string[];
  /** Drawings that are neither hidden from screen readers nor have a name. */
  readonly nameless: number;
}

export function readAddresses(): Addresses {
  const { document } = globalThis as unknown as InPage;
  const all = (selector: string) => [...document.querySelectorAll(selector)];
  const ids = all("[id]").map((part) => part.id);
  const textOf = (id: string) =>
    all("[id]")
      .find((part) => part.id === id)
      ?.textContent?.trim() ?? "";
  const hasName = (svg: Part) =>
    ["img", "group"].includes(svg.getAttribute("role") ?? "") &&
    [
      svg.getAttribute("aria-label") ?? "",
      ...(svg.getAttribute("aria-labelledby") ?? "").split(/\s+/).map(textOf),
      svg.querySelector("title")?.textContent ?? "",
    ].some((name) => name.trim() !== "");
  return {
    hrefs: all("[href]").map((part) => part.getAttribute("href") ?? ""),
    ids,
    named: ["aria-labelledby", "aria-describedby", "for", "headers"].flatMap((name) =>
      all(`[${name}]`).flatMap((part) => (part.getAttribute(name) ?? "").split(/\s+/)),
    ),
    nameless: all("svg:not(svg svg)").filter((svg) => svg.closest("[aria-hidden=true]") === null && !hasName(svg))
      .length,
  };
}

/** The places that Tab is expected to stop at, in the order of the page, each named by its position among them. */
export function listStops(): string[] {
  const { document } = globalThis as unknown as InPage;
  return [...document.body.querySelectorAll("a[href], summary, [tabindex]")].flatMap((part, index) =>
    part.tabIndex === 0 && part.checkVisibility() ? [`${index} ${part.localName}`] : [],
  );
}

export interface Focus {
  /** As `listStops` names it; null where nothing has the focus. */
  readonly stop: string | null;
  readonly seen: boolean;
  readonly outlined: boolean;
  /** It has the focus only because it scrolls: Chromium's own doing. */
  readonly scroller: boolean;
}

export function readFocus(): Focus {
  const { document, getComputedStyle, innerHeight, innerWidth } = globalThis as unknown as InPage;
  const part = document.activeElement;
  if (part === null || part.localName === "body") {
    return { stop: null, seen: false, outlined: false, scroller: false };
  }
  const style = getComputedStyle(part);
  const box = part.getBoundingClientRect();
  const inside = box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth;
  const stops = "a[href], summary, [tabindex]";
  return {
    stop: `${[...document.body.querySelectorAll(stops)].indexOf(part)} ${part.localName}`,
    seen: inside && box.width > 1 && box.height > 1,
    outlined: style.outlineStyle !== "none" && Number.parseFloat(style.outlineWidth ?? "0") >= 1,
    scroller: !part.matches(stops),
  };
}

/** Whether the details of the summary that has the focus are open. */
export function isUnfolded(): boolean {
  const { document } = globalThis as unknown as InPage;
  return document.activeElement?.parentElement?.open ?? false;
}

/** Boxes that on paper would hide a part of what stands in them. */
export function findCutOnPaper(): string[] {
  const { document, getComputedStyle } = globalThis as unknown as InPage;
  return [...document.body.querySelectorAll("*")].flatMap((part) => {
    const style = getComputedStyle(part);
    if (!part.checkVisibility() || style.clipPath !== "none") return [];
    const wider = style.overflowX !== "visible" && part.scrollWidth > part.clientWidth + 1;
    const taller = style.overflowY !== "visible" && part.scrollHeight > part.clientHeight + 1;
    const text = (part.textContent ?? "").replace(/\s+/g, " ").trim().slice(0, 40);
    return (wider || taller) && part.clientWidth > 0 ? [`${part.localName}: ${text}`] : [];
  });
}

/** Summaries whose details are meant to be printed and stay closed on paper; and how many are meant to be. */
export function findClosedOnPaper(): { readonly closed: string[]; readonly printed: number } {
  const { document } = globalThis as unknown as InPage;
  const printed = [...document.querySelectorAll("details.printed")];
  const closed = printed.flatMap((details) => {
    const content = [...details.querySelectorAll(":scope > :not(summary)")];
    const summary = details.querySelector("summary")?.textContent?.trim() ?? "";
    return content.length > 0 && content.every((part) => !part.checkVisibility()) ? [summary] : [];
  });
  return { closed, printed: printed.length };
}

export interface ReadingOrder {
  /** The ids of the headings of the sections, from the top. */
  readonly sections: string[];
  /** Where the first diff begins; 0 if there is none. */
  readonly diffTop: number;
  /** The ids of what is folded and stands open. */
  readonly open: string[];
}

export function readOrder(): ReadingOrder {
  const { document } = globalThis as unknown as InPage;
  return {
    sections: [...document.querySelectorAll("h2")].map(({ id }) => id),
    diffTop: Math.round(document.querySelector("pre.diff")?.getBoundingClientRect().top ?? 0),
    open: [...document.querySelectorAll("details.fold")].filter(({ open }) => open === true).map(({ id }) => id),
  };
}
