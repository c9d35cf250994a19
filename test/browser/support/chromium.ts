import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { browsers } from "./failed-visits.ts";
import { type TestWallet, testWallet } from "./test-wallet.ts";

/** Not the package's list: with its single process, the browser ends with its first profile. */
const FLAGS = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"];

/** The size of a page that asks for none. */
export const DESKTOP = { width: 1280, height: 900 };

/** The package's name for it, in the folder of temporary files. */
const PROGRAM = "chromium";

/** The path of a Chromium: `CHROMIUM_PATH`, otherwise the one from npm. */
export async function chromiumPath(): Promise<string> {
  if (process.env.CHROMIUM_PATH) return process.env.CHROMIUM_PATH;
  // Makes the package unpack the system libraries that a minimal machine lacks.
  process.env.AWS_LAMBDA_JS_RUNTIME ??= "nodejs24.x";
  const { default: packed } = await import("@sparticuz/chromium");
  if (!existsSync(join(tmpdir(), PROGRAM))) await unpack();
  return packed.executablePath();
}

/** Unpacks elsewhere and moves the program last, so that no other process finds half of it. */
async function unpack(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "torcida-chromium-"));
  const script = `import packed from ${JSON.stringify(import.meta.resolve("@sparticuz/chromium"))}; await packed.executablePath();`;
  const env = { ...process.env, TMPDIR: folder };
  await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", script], { env });
  for (const name of [...readdirSync(folder).filter((one) => one !== PROGRAM), PROGRAM]) {
    try {
      renameSync(join(folder, name), join(tmpdir(), name));
    } catch (error) {
      // Another process moved this folder there.
      if ((error as NodeJS.ErrnoException).code !== "ENOTEMPTY") throw error;
    }
  }
  rmSync(folder, { recursive: true });
}

/** Tried twice: a start on a busy machine was seen to end with SIGSEGV. */
export async function launchChromium(): Promise<Browser> {
  const options = { executablePath: await chromiumPath(), args: FLAGS };
  const browser = await chromium.launch(options).catch(() => chromium.launch(options));
  browsers.add(browser);
  browser.on("disconnected", () => browsers.delete(browser));
  return browser;
}

export type Visit = {
  page: Page;
  context: BrowserContext;
  wallet: TestWallet;
  /** Console errors and uncaught rejections so far, without the browser's messages about failed requests. */
  problems: string[];
};

export type VisitOptions = BrowserContextOptions & {
  wallet?: TestWallet;
  /** The content of local storage before the app starts. */
  storage?: Record<string, string>;
  /** The page's clock runs on as always, and can be put forward: `page.clock`. */
  hasOwnClock?: boolean;
};

declare global {
  interface Window {
    /** The texts that the page has not shown yet. */
    unseen?: Set<string>;
    /** How often React has rendered since `countRenders`. */
    renders?: number;
  }
}

/** Loads a page on which these texts are visible only for a moment, and waits until each of them was. */
export async function glimpse(page: Page, url: string, texts: readonly string[]): Promise<void> {
  await page.addInitScript((wanted) => {
    const unseen = new Set(wanted);
    window.unseen = unseen;
    new MutationObserver(() => {
      for (const text of unseen) if (document.body?.textContent?.includes(text)) unseen.delete(text);
    }).observe(document, { childList: true, characterData: true, subtree: true });
  }, texts);
  await page.goto(url, { waitUntil: "commit" });
  await page.waitForFunction(() => window.unseen?.size === 0);
}

/** Loads the page again and counts in `window.renders` how often React renders: it reports this to developer tools. */
export async function countRenders(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const count = () => {
      window.renders = (window.renders ?? 0) + 1;
    };
    const hook = { supportsFiber: true, inject: () => 1, onCommitFiberRoot: count, onCommitFiberUnmount: () => {} };
    Object.assign(window, { __REACT_DEVTOOLS_GLOBAL_HOOK__: hook });
  });
  await page.reload();
}

/** A new browser profile with a wallet in it, ready to open a page. */
export async function visit(browser: Browser, options: VisitOptions = {}): Promise<Visit> {
  const { wallet: _wallet, storage: _storage, hasOwnClock, ...contextOptions } = options;
  const profile = await newProfile(browser, contextOptions);
  if (hasOwnClock) await profile.context.clock.install();
  return moveIn(profile, options);
}

/** A browser profile with one page, and what it tells of to the visit that has it. */
export type Profile = { context: BrowserContext; page: Page; onProblem: (text: string) => void };

export async function newProfile(browser: Browser, options: BrowserContextOptions = {}): Promise<Profile> {
  const context = await browser.newContext({ viewport: DESKTOP, locale: "en-US", ...options });
  // A machine that is busy with other tests takes its time; mocha ends what hangs.
  context.setDefaultTimeout(60_000);
  // Without snapshots, which would take as long as the tests themselves.
  await context.tracing.start();
  const profile: Profile = { context, page: await context.newPage(), onProblem: () => {} };
  context.on("console", (message) => {
    const isExpected = message.text().startsWith("Failed to load resource");
    if (message.type() === "error" && !isExpected) profile.onProblem(message.text());
  });
  context.on("weberror", (error) => profile.onProblem(String(error.error())));
  return profile;
}

/** Puts a wallet and the content of local storage into a profile, for the pages that are opened afterwards. */
export async function moveIn(
  profile: Profile,
  { wallet = testWallet(), storage = {} }: Pick<VisitOptions, "wallet" | "storage">,
): Promise<Visit> {
  const { context, page } = profile;
  const problems: string[] = [];
  profile.onProblem = (text) => problems.push(text);
  await context.addInitScript((entries) => {
    if (location.protocol === "about:" || sessionStorage.getItem("seeded")) return;
    sessionStorage.setItem("seeded", "yes");
    for (const [key, value] of entries) localStorage.setItem(key, value);
  }, Object.entries(storage));
  await wallet.install(context);
  return { context, page, wallet, problems };
}
