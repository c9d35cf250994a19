import type { Browser, Page } from "playwright-core";
import { giveAuthenticator } from "../../browser/support/authenticator.ts";
import { visit } from "../../browser/support/chromium.ts";
import { testWallet } from "../../browser/support/test-wallet.ts";
import { percentile } from "../scale/load.ts";

/** `passkey`: makes a wallet by finger; `installed`: has one, which approves at once. */
export type Way = "passkey" | "installed";
const STEPS = ["wallet", "registered", "proceeded"] as const;
type Seconds = Record<(typeof STEPS)[number], number>;

/** As Lighthouse's phone. */
const CPU_SLOWDOWN = 4;

/**
 * Median seconds from the first request of a newcomer on a phone until there is a wallet, until it is registered, and until
 * *Prosseguir*. Fingers answer at once and typing takes no time: what is measured is the page, the derivation and the API.
 */
export async function newcomers(browser: Browser, url: string, way: Way, runs: number): Promise<Seconds> {
  const all: Seconds[] = [];
  for (let run = 0; run < runs; run++) all.push(await newcomer(browser, url, way, `${way}${run}@example.com`));
  const median = (step: keyof Seconds) => {
    const seconds = percentile(
      all.map((one) => one[step]),
      0.5,
    );
    return Number(seconds.toFixed(2));
  };
  return { wallet: median("wallet"), registered: median("registered"), proceeded: median("proceeded") };
}

async function newcomer(browser: Browser, url: string, way: Way, email: string): Promise<Seconds> {
  const wallet = testWallet({ presence: way === "passkey" ? "none" : "eip6963" });
  const { page, context } = await visit(browser, { wallet, viewport: { width: 360, height: 740 }, hasTouch: true });
  const { cdp } = await giveAuthenticator(page);
  await cdp.send("Emulation.setCPUThrottlingRate", { rate: CPU_SLOWDOWN });
  const seconds = { wallet: 0, registered: 0, proceeded: 0 };
  const startedAt = performance.now();
  const now = () => (performance.now() - startedAt) / 1_000;
  await (way === "passkey" ? makeWallet(page, url) : connectWallet(page, url));
  const name = page.getByLabel(/^Nome$/);
  await name.waitFor();
  seconds.wallet = now();
  await name.fill("Bia");
  await page.getByLabel(/^Sobrenome$/).fill("Souza");
  await page.getByLabel(/^E-mail$/).fill(email);
  await page.getByRole("button", { name: "Criar conta" }).tap();
  if (way === "passkey") await page.getByRole("button", { name: "Assinar" }).tap();
  await page.waitForURL("**/stores");
  seconds.registered = now();
  await page.getByRole("article").filter({ hasText: "Boutique Parisienne" }).getByRole("button").tap();
  await page.getByRole("dialog").getByRole("button", { name: "Prosseguir" }).tap();
  await page.waitForURL("**/redirect/2");
  seconds.proceeded = now();
  await context.close();
  return seconds;
}

async function makeWallet(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await page.getByRole("button", { name: "Ver lojas" }).tap();
  await page.getByRole("button", { name: /Criar carteira com rosto ou digital/ }).tap();
}

async function connectWallet(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/auth?next=%2Fstores`);
  await page.getByRole("tabpanel").getByRole("button", { name: "Conectar carteira" }).tap();
  await page.getByRole("button", { name: "Continuar para o cadastro" }).tap();
}
