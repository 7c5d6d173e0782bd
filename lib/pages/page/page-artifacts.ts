import { plural } from "../../rules/wording.ts";
import { addTo } from "../../text/add-to.ts";
import type { ArtifactRow } from "../files/list-artifacts.ts";
import { formatSize } from "../view/format.ts";
import { altOf, artifactKind, type ImageType } from "./images.ts";
import { htmlBytes } from "./page-budget.ts";
import type { PageImage } from "./page-files.ts";

/** So many of the agent's files are open, in a table; the others in a list that a reader opens. */
const openFiles = 100;
/** Markup around one. */
const aroundFile = 75;
const aroundGroup = 90;

/**
 * The files under artifacts/ as a share of the page's bytes can hold them: the agent's first, then the runner's by
 * pass.
 */
export function viewArtifacts(
  agent: readonly ArtifactRow[],
  runner: readonly ArtifactRow[],
  images: readonly PageImage[],
  share: number,
) {
  const types = new Map(images.map(({ row, type }) => [row.path, type]));
  let left = share;
  const take = (rows: readonly ArtifactRow[], folder: string) => {
    const kept = [];
    for (const row of rows) {
      const view = viewArtifact(row, types.get(row.path) ?? null, folder);
      left -= aroundFile + htmlBytes(view.name) + view.href.length + view.sha256.length + view.size.length;
      if (left < 0) break;
      kept.push(view);
    }
    return kept;
  };
  const own = take(agent, "artifacts/");
  const groups = groupByPass(runner).map(({ folder, rows }) => {
    left -= aroundGroup;
    const files = take(rows, `${folder}/`);
    return { title: `${folder.slice("artifacts/".length)}: ${plural(rows.length, "file")}`, files };
  });
  const shown = groups.filter(({ files }) => files.length > 0);
  const listed = shown.reduce((sum, { files }) => sum + files.length, 0);
  return {
    table: own.slice(0, openFiles),
    list: own.slice(openFiles),
    more: agent.length - own.length,
    total: `${plural(agent.length, "file")}, ${formatSize(agent.reduce((sum, { size }) => sum + size, 0))}`,
    runner: shown,
    runnerTotal: `${plural(runner.length, "file")} of the runner, ${formatSize(runner.reduce((sum, { size }) => sum + size, 0))}`,
    runnerMore: runner.length - listed,
  };
}

/** Its name is relative to `folder`: artifacts/, or the folder of its pass. */
function viewArtifact(row: ArtifactRow, image: ImageType | null, folder: string) {
  const name = row.path.startsWith(folder) ? row.path.slice(folder.length) : row.path;
  return {
    href: hrefOf(row),
    name,
    kind: artifactKind(row.path, image),
    size: formatSize(row.size),
    sha256: row.sha256,
  };
}

/** Relative to artifacts/, the folder of the page. */
function hrefOf({ href }: ArtifactRow): string {
  return href.replace(/^artifacts\//, "");
}

function groupByPass(rows: readonly ArtifactRow[]): { folder: string; rows: ArtifactRow[] }[] {
  const groups = new Map<string, ArtifactRow[]>();
  for (const row of rows) {
    const folder = /^artifacts\/passes\/[^/]+(?=\/)/.exec(row.path)?.[0] ?? "artifacts/passes";
    addTo(groups, folder, row);
  }
  return [...groups].map(([folder, members]) => ({ folder, rows: members }));
}

/** Pictures that are in the page, and those that are only linked. `source` marks the place of the bytes. */
export function viewImages(images: readonly PageImage[]) {
  const view = ({ row }: PageImage) => ({
    href: hrefOf(row),
    name: row.path.replace(/^artifacts\//, ""),
    size: formatSize(row.size),
  });
  const shown = images.filter(({ bytes }) => bytes !== null);
  return {
    shown: shown.map((image, index) => ({ ...view(image), alt: altOf(image.row.path), source: `#image-${index + 1}` })),
    linked: images
      .filter(({ bytes }) => bytes === null)
      .slice(0, 200)
      .map(view),
    more: Math.max(0, images.length - shown.length - 200),
  };
}

/**
 * Puts the bytes of pictures where the page names their places. Only now, since redacting a page must not look at what
 * is not text. Text cannot name such a place: its quotes are escaped.
 */
export function insertImages(page: string, images: readonly PageImage[]): string {
  const shown = images.flatMap(({ type, bytes }) => (bytes === null ? [] : [{ type, bytes }]));
  return page.replace(/ src="#image-(\d{1,3})"/g, (place, number: string) => {
    const image = shown[Number(number) - 1];
    return image === undefined ? place : ` src="data:image/${image.type};base64,${image.bytes.toString("base64")}"`;
  });
}
