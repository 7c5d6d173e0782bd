import type { Page } from "playwright-core";

/** How somebody looks at a page. */
export interface View {
  readonly width: 360 | 1280;
  readonly height: number;
  readonly scheme: "light" | "dark";
  readonly scripts: boolean;
}

const sizes = [
  { width: 360, height: 740 },
  { width: 1280, height: 900 },
] as const;

/** A phone and a desk, by day and by night, with scripts and without. */
export const views: readonly View[] = sizes.flatMap((size) =>
  (["light", "dark"] as const).flatMap((scheme) => [true, false].map((scripts) => ({ ...size, scheme, scripts }))),
);

export const scriptedViews = views.filter(({ scripts }) => scripts);

export const desk: View = { width: 1280, height: 900, scheme: "light", scripts: true };

export function nameView({ width, scheme, scripts }: View): string {
  return `${width} px, ${scheme}${scripts ? "" : ", scripts off"}`;
}

/** Looks at a page that is open in another way. Whether scripts run cannot be changed any more. */
export async function turnTo(page: Page, { width, height, scheme }: View): Promise<void> {
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme: scheme });
}
