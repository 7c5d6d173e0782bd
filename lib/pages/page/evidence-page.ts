import { hashStyle, renderTemplate } from "../../documents/templates/render.ts";
import type { EvidenceModel } from "../model/evidence-model.ts";
import { insertImages } from "./page-artifacts.ts";
import { noPageFiles, type PageFiles } from "./page-files.ts";
import { pageView } from "./page-view.ts";

/**
 * artifacts/evidence.html: one self-contained page without scripts, under 5 MB. Its only links are relative, or lead to
 * the code on its host. The same model and files give the same bytes. `redact` sees all of it but the style and the
 * pictures, which it must not change.
 */
export function renderEvidencePage(
  model: EvidenceModel,
  files: PageFiles = noPageFiles,
  redact: (text: string) => string = (text) => text,
): string {
  const page = renderTemplate("evidence.html", { ...pageView(model, files), styleHash: hashStyle("evidence/page-style.html.eta") });
  const body = page.indexOf("</head>");
  return `${page.slice(0, body)}${insertImages(redact(page.slice(body)), files.images)}`;
}
