/**
 * `npm run bench -- web [runs] [path…]`: Lighthouse (mobile) on the public pages and a shopper's dashboard, median of
 * five runs, against a dedicated system; the transfer size of each page; and how long a newcomer with a slow phone takes
 * to the first shop, making a wallet by finger, as against one who has a wallet.
 */
import { availableParallelism, cpus } from "node:os";
import lighthouse from "lighthouse";
import { chromium } from "playwright-core";
import { HOUR_MS } from "../../core/rules/iso-time.ts";
import { STORAGE_KEYS } from "../../frontend/app/storage.ts";
import { numberOption, readOptions } from "../../scripts/developer/read-options.ts";
import { chromiumPath, launchChromium } from "../browser/support/chromium.ts";
import { freePorts } from "../testing/free-port.ts";
import { Shopper } from "../testing/shopper.ts";
import { removeData, startTorcida, systemEnvironment } from "../testing/torcida.ts";
import { percentile } from "./scale/load.ts";
import { newcomers } from "./web/newcomers.ts";

const [runs, ...paths] = readOptions({ allowPositionals: true }).positionals;
const RUNS = numberOption({ runs }, "runs", 5);
/** Measured last, with a session; no search engine sees it. */
const DASHBOARD = "/dashboard";
const ALL = ["/", "/stores", "/stores/1", "/ticket/1", DASHBOARD];
const PAGES = paths.length > 0 ? paths : ALL;
const CATEGORIES = ["performance", "accessibility", "best-practices", "seo"] as const;
const AUDITS = [
  "first-contentful-paint",
  "largest-contentful-paint",
  "total-blocking-time",
  "cumulative-layout-shift",
  "total-byte-weight",
] as const;

type Figures = Record<string, number>;

async function measure(url: string, port: number): Promise<Figures> {
  const result = await lighthouse(url, {
    port,
    output: "json",
    logLevel: "error",
    formFactor: "mobile",
    onlyCategories: [...CATEGORIES],
    // Otherwise it ends the shopper's session.
    disableStorageReset: url.endsWith(DASHBOARD),
  });
  if (!result) throw new Error(`Lighthouse returned nothing for ${url}`);
  const { runtimeError } = result.lhr;
  // A page that was not painted has no score; zeros in the table would look like one.
  if (runtimeError) throw new Error(`Lighthouse could not measure ${url}: ${runtimeError.message}`);
  const { categories, audits } = result.lhr;
  for (const { id, score, title } of Object.values(audits)) {
    if (score !== null && score < 0.9) console.log(`${new URL(url).pathname} ${id} ${score.toFixed(2)}: ${title}`);
  }
  return Object.fromEntries([
    ...CATEGORIES.map((name) => [name, Math.round((categories[name]?.score ?? 0) * 100)]),
    ...AUDITS.map((name) => [name, audits[name]?.numericValue ?? Number.NaN]),
  ]);
}

const torcida = await startTorcida(await systemEnvironment());
const shopper = new Shopper(torcida.url);
await shopper.signUp();
await shopper.paid([await shopper.buy(1)]);
const [port = 0] = await freePorts(1);
// Its pages share one storage with Lighthouse's.
const browser = await chromium.launchPersistentContext("", {
  executablePath: await chromiumPath(),
  args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", `--remote-debugging-port=${port}`],
});

/** A new visit with the shopper's session, of somebody who has seen their payment celebrated. */
async function logIn(): Promise<void> {
  const page = await browser.newPage();
  await page.goto(`${torcida.url}/help`);
  await page.evaluate(
    (kept) => {
      for (const [key, value] of kept) localStorage.setItem(key, value);
    },
    [
      [STORAGE_KEYS.token, shopper.token],
      [STORAGE_KEYS.celebrated, String(Date.now() + HOUR_MS)],
    ] as const,
  );
  await (await browser.newCDPSession(page)).send("Network.clearBrowserCache");
  await page.close();
}

const pages: Record<string, Figures> = {};
/** Seconds. */
const newcomer: Record<string, Figures> = {};
try {
  for (const path of PAGES) {
    const runs: Figures[] = [];
    for (let run = 0; run < RUNS; run++) {
      if (path === DASHBOARD) await logIn();
      runs.push(await measure(torcida.url + path, port));
    }
    pages[path] = Object.fromEntries(
      [...CATEGORIES, ...AUDITS].map((name) => [
        name,
        Number(
          percentile(
            runs.map((one) => one[name] ?? Number.NaN),
            0.5,
          ).toFixed(3),
        ),
      ]),
    );
  }
  await browser.close();
  const phone = await launchChromium();
  newcomer.passkey = await newcomers(phone, torcida.url, "passkey", RUNS);
  newcomer.installed = await newcomers(phone, torcida.url, "installed", RUNS);
  await phone.close();
} finally {
  await browser.close();
  await torcida.stop();
  removeData(torcida);
}

console.table(pages);
console.table(newcomer);
const machine = { cpu: cpus()[0]?.model, cores: availableParallelism() };
const ratio = Number(((newcomer.passkey?.proceeded ?? 0) / (newcomer.installed?.proceeded ?? 1)).toFixed(2));
console.log(JSON.stringify({ bench: "web", runs: RUNS, ...machine, pages, newcomer: { ...newcomer, ratio } }));
