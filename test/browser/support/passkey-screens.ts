import type { Page } from "playwright-core";
import { accountOf } from "../../../frontend/wallet/passkey/derivation.ts";
import { giveAuthenticator } from "./authenticator.ts";
import type { FixtureServer } from "./fixture-server.ts";
import type { Screen } from "./screens.ts";
import { openChooser } from "./states.ts";

const wallet = { presence: "none" } as const;
const owned = { wallet, isLoggedIn: true } as const;
const dialog = { wallet, isViewport: true } as const;
const RECEIVER = `0x${"be".repeat(20)}`;

/** The screens of the wallet behind a passkey, with Chromium's own authenticator. */
export const PASSKEY_SCREENS: readonly Screen[] = [
  { name: "choice of a wallet by finger", path: "/", ...dialog, act: choose },
  { name: "wallet by finger being made", path: "/", ...dialog, act: beginToMake },
  { name: "wallet by finger that was refused", path: "/", ...dialog, isVariant: true, act: refuseToMake },
  { name: "signature by finger", path: "/", ...dialog, act: (page) => askFor(page, "personal_sign") },
  {
    ...{ name: "transfer by finger", path: "/", ...dialog, isVariant: true, prepare: answerAsNode },
    act: (page) => askFor(page, "eth_sendTransaction"),
  },
  { name: "profile of a wallet by finger", path: "/profile", ...owned, act: openSteps },
  { name: "words of a wallet, before", path: "/profile", ...owned, isViewport: true, isVariant: true, act: openWords },
  { name: "words of a wallet", path: "/profile", ...owned, isViewport: true, act: showWords },
  { name: "words of a wallet asked back", path: "/profile", ...owned, isViewport: true, act: mistypeWords },
  { name: "sending CHZ", path: "/profile", ...owned, isViewport: true, prepare: answerAsNode, act: mistypeReceiver },
  {
    name: "offer of the words",
    path: "/dashboard",
    ...owned,
    isVariant: true,
    act: seeOffer,
  },
  {
    name: "panel before a wallet by finger",
    path: "/admin",
    wallet,
    isAdmin: true,
    act: seeAdvice,
  },
  { name: "help on the wallet by finger", path: "/help/passkey-wallet" },
];

/** A node of the Chiliz Chain: 12,5 CHZ, and what it takes for a transfer. */
export function answerAsNode(server: FixtureServer, change: Record<string, unknown> = {}): void {
  const results: Record<string, unknown> = {
    eth_getBalance: "0xad78ebc5ac620000",
    eth_getBlockByNumber: { baseFeePerGas: "0x246139ca800" },
    eth_maxPriorityFeePerGas: "0x3b9aca00",
    eth_estimateGas: "0x5208",
    eth_getTransactionCount: "0x0",
    eth_getCode: "0x",
    eth_chainId: "0x15b32",
    ...change,
  };
  server.answer("POST /api/chain", ({ body: { id, method } }) => ({
    body: { jsonrpc: "2.0", id, result: results[String(method)] ?? null },
  }));
}

/** Makes the reader of the page the owner of a passkey, and of the profile by its wallet, and loads the page again. */
export async function own(page: Page): Promise<string> {
  await giveAuthenticator(page);
  const made = await page.evaluate(async () => {
    const extensions = { prf: { eval: { first: new TextEncoder().encode("torcida wallet v1") } } };
    const challenge = new Uint8Array(32);
    const user = { id: crypto.getRandomValues(new Uint8Array(32)), name: "Ana", displayName: "Ana" };
    const authenticatorSelection = { residentKey: "required", userVerification: "required" } as const;
    const pubKeyCredParams: PublicKeyCredentialParameters[] = [{ type: "public-key", alg: -7 }];
    const created = await navigator.credentials.create({
      publicKey: { rp: { name: "Torcida" }, user, challenge, pubKeyCredParams, authenticatorSelection, extensions },
    });
    const { prf } = (created as PublicKeyCredential).getClientExtensionResults();
    return { id: created?.id ?? "", prf: [...new Uint8Array(prf?.results?.first as ArrayBuffer)] };
  });
  const address = (await accountOf(Uint8Array.from(made.prf))).address.toLowerCase();
  await page.evaluate(
    (kept) => localStorage.setItem("passkey_wallet", kept),
    JSON.stringify({ version: 1, address, credential_id: made.id }),
  );
  await page.route("**/api/me", async (route) => {
    const answer = await route.fetch();
    const me = await answer.json();
    const text = JSON.stringify(me).replaceAll(me.data?.wallet ?? address, address);
    await route.fulfill({ response: answer, body: text });
  });
  await page.reload();
  await page.locator(".first-paint").first().waitFor({ state: "detached" });
  return address;
}

async function choose(page: Page): Promise<void> {
  await giveAuthenticator(page);
  await page.reload();
  await openChooser(page);
  await page.getByRole("dialog").locator(".option").nth(1).waitFor();
}

/** Nobody has answered yet. */
async function beginToMake(page: Page): Promise<void> {
  const { cdp, id: authenticatorId } = await giveAuthenticator(page);
  await cdp.send("WebAuthn.setAutomaticPresenceSimulation", { authenticatorId, enabled: false });
  await page.reload();
  await openChooser(page);
  await page.getByRole("dialog").locator(".option").first().click();
  await page.getByRole("dialog").locator(".declined").first().waitFor();
}

async function refuseToMake(page: Page): Promise<void> {
  const { recognise } = await giveAuthenticator(page);
  await recognise(false);
  await page.reload();
  await openChooser(page);
  await page.getByRole("dialog").locator(".option").first().click();
  await page.getByRole("dialog").locator(".problem").waitFor();
}

/** What a script on the page gets from the wallet: its answer, or the error's code. */
export async function passkeyProvider(page: Page) {
  // The wallet is announced when the page is idle, or at a key.
  await page.keyboard.press("Tab");
  await page.evaluate(async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    window.addEventListener("eip6963:announceProvider", (event) => {
      const { info, provider } = (event as CustomEvent).detail;
      if (info.rdns !== "torcida.passkey") return;
      Object.assign(window, { passkeyProvider: provider });
      resolve();
    });
    window.dispatchEvent(new Event("eip6963:requestProvider"));
    await promise;
  });
  return (method: string, ...params: unknown[]): Promise<unknown> =>
    page.evaluate(
      ({ method, params }) =>
        (window as unknown as { passkeyProvider: { request: (one: object) => Promise<unknown> } }).passkeyProvider
          .request({ method, params })
          .catch((error: { code?: number }) => error.code),
      { method, params },
    );
}

/** As a page asks a wallet. */
async function askFor(page: Page, method: "personal_sign" | "eth_sendTransaction"): Promise<void> {
  const from = await own(page);
  const ask = await passkeyProvider(page);
  const { host } = new URL(page.url());
  const answer =
    method === "personal_sign"
      ? ask(method, `${host} wants you to sign in with your Ethereum account:\n${from}`, from)
      : ask(method, { from, to: RECEIVER, value: "0x14d1120d7b160000" });
  // Nobody answers it.
  answer.catch(() => {});
  await page.locator(".wallet-request").waitFor();
}

async function seeAdvice(page: Page): Promise<void> {
  await own(page);
  await page.locator(".state-panel button").waitFor();
}

async function seeOffer(page: Page): Promise<void> {
  await own(page);
  await page.locator(".notice button").first().waitFor();
}

const passkeyCard = (page: Page) =>
  page.getByRole("region", { name: /^(Carteira com rosto ou digital|Wallet with face or fingerprint)$/ });

async function openSteps(page: Page): Promise<void> {
  await own(page);
  await passkeyCard(page).locator("summary").click();
  await passkeyCard(page).locator("ol").waitFor();
}

async function openWords(page: Page): Promise<void> {
  await own(page);
  await passkeyCard(page).getByRole("button").first().click();
  await page.getByRole("dialog").waitFor();
}

async function showWords(page: Page): Promise<void> {
  await openWords(page);
  await page.getByRole("dialog").locator("button[form=passkey-words]").click();
  await page.getByRole("dialog").locator("ol").waitFor();
}

async function mistypeWords(page: Page): Promise<void> {
  await showWords(page);
  await page.getByRole("dialog").locator(".dialog-actions .button").last().click();
  await page.getByRole("dialog").getByRole("textbox").first().fill("castel");
  await page.getByRole("dialog").locator("button[form=passkey-words-asked]").click();
  await page.getByRole("dialog").locator(".field-problem").first().waitFor();
}

async function mistypeReceiver(page: Page): Promise<void> {
  await own(page);
  await passkeyCard(page).getByRole("button").nth(1).click();
  await page.getByRole("dialog").getByRole("textbox").first().fill(RECEIVER);
  await page.getByRole("dialog").getByRole("textbox").nth(1).fill("2,5");
  await page.getByRole("dialog").getByRole("checkbox").waitFor();
  await page.getByRole("dialog").locator("button[form=passkey-send]").click();
  await page.getByRole("dialog").locator(".problem").waitFor();
}
