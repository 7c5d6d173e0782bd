import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const sizes = [
  { width: 1280, height: 900 },
  { width: 360, height: 740 },
];

/** Takes a picture of the top of a page at each width, by day, and writes them into a folder under the given names. */
export async function shootSample(executablePath, page, folder, names) {
  const home = join(folder, "browser");
  mkdirSync(home);
  const browser = await chromium.launch({
    executablePath,
    chromiumSandbox: process.getuid?.() !== 0,
    args: ["--disable-gpu", "--disable-dev-shm-usage"],
    proxy: { server: "http://127.0.0.1:9", bypass: "<-loopback>" },
    env: { PATH: process.env.PATH ?? "", HOME: home, XDG_CONFIG_HOME: home, XDG_CACHE_HOME: home, TMPDIR: home },
  });
  try {
    for (const [index, viewport] of sizes.entries()) {
      const opened = await browser.newPage({ viewport, colorScheme: "light", javaScriptEnabled: false });
      await opened.goto(pathToFileURL(page).href);
      await opened.screenshot({ path: join(folder, names[index]) });
    }
  } finally {
    await browser.close();
  }
}
