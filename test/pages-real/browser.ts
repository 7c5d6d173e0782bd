import { mkdtempSync } from "node:fs";
import path from "node:path";
import { after, before } from "node:test";
import { pathToFileURL } from "node:url";
import { type Browser, chromium, type Page } from "playwright-core";
import { readPagesPlace } from "./made-pages.ts";
import { type DeadEnd, openDeadEnd } from "./network.ts";
import type { View } from "./views.ts";

export interface OpenedPage {
  readonly page: Page;
  /** What the console and the page itself complained about. */
  readonly trouble: string[];
  /** Everything that was asked for, but the page itself, and what the browser asked of the network. All was refused. */
  requests(): readonly string[];
  close(): Promise<void>;
}

export interface OpenOptions {
  /** For looking with a script of the test's own, never for looking at the policy. */
  readonly bypassPolicy?: boolean;
}

export interface UsedBrowser {
  open(file: string, view: View, options?: OpenOptions): Promise<OpenedPage>;
}

/** What Chromium asks on its own, whatever it shows: whether somebody is signed in, and whether it is up to date. */
const ownHosts = /^\w+ (?:http:\/\/)?[\w.-]+\.(?:google|googleapis|gvt1)\.com[:/]/;

/** One browser for the tests of a file, in a scratch home and without a network. */
export function useBrowser(): UsedBrowser {
  let browser: Browser | null = null;
  let network: DeadEnd | null = null;
  before(async () => {
    network = await openDeadEnd();
    browser = await launch(network);
  });
  after(async () => {
    await browser?.close();
    await network?.close();
  });
  return {
    open: async (file, view, options = {}) => {
      if (browser === null || network === null) throw new Error("the browser is not open yet");
      const { asked } = network;
      const before = asked.length;
      const opened = await open(browser, pathToFileURL(file).href, view, options);
      return {
        ...opened,
        requests: () => [...opened.requests, ...asked.slice(before).filter((line) => !ownHosts.test(line))],
      };
    },
  };
}

async function launch(network: DeadEnd): Promise<Browser> {
  const { chromium: executablePath, scratch } = readPagesPlace();
  const home = mkdtempSync(path.join(scratch, "home-"));
  return await chromium.launch({
    executablePath,
    // Chromium's own sandbox refuses root.
    chromiumSandbox: process.getuid?.() !== 0,
    args: ["--disable-gpu", "--disable-dev-shm-usage", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"],
    proxy: { server: network.url, bypass: "<-loopback>" },
    env: { PATH: process.env.PATH ?? "", HOME: home, XDG_CONFIG_HOME: home, XDG_CACHE_HOME: home, TMPDIR: home },
  });
}

async function open(browser: Browser, url: string, view: View, { bypassPolicy = false }: OpenOptions) {
  const context = await browser.newContext({
    viewport: { width: view.width, height: view.height },
    colorScheme: view.scheme,
    javaScriptEnabled: view.scripts,
    bypassCSP: bypassPolicy,
  });
  const trouble: string[] = [];
  const requests: string[] = [];
  const page = await context.newPage();
  page.on("pageerror", (error) => trouble.push(error.message));
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) trouble.push(message.text());
  });
  await context.route(
    () => true,
    async (route) => {
      const asked = route.request().url();
      if (asked === url) return await route.continue();
      requests.push(asked);
      await route.abort();
    },
  );
  await page.goto(url, { waitUntil: "load" });
  return { page, trouble, requests, close: () => context.close() };
}
