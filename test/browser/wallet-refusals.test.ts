import { expect } from "chai";
import type { Page } from "playwright-core";
import { CHAIN_IDS } from "../../core/rules/networks.ts";
import { SESSION_TOKEN } from "./support/fixture-server.ts";
import { useSite } from "./support/site.ts";
import { type TestWallet, testWallet } from "./support/test-wallet.ts";

const WORDS = {
  pt: {
    connect: "Conectar carteira",
    waits: "Responda ao pedido na sua carteira. A janela dela sumiu? Clique de novo.",
    declined: "O pedido foi recusado na carteira. Nada mudou.",
    pending: "Já há um pedido aberto na carteira. Abra a carteira e responda a ele.",
    connected: "Carteira conectada com sucesso!",
    notAdded: "Erro ao adicionar a rede",
    wrongNetwork: "Rede errada",
    rightNetwork: "Rede correta",
    otherNetwork: "A sua carteira está em outra rede. Mude para a rede da Torcida para continuar.",
    switchNetwork: "Mudar de rede",
    register: "Continuar para o cadastro",
    fields: ["Nome", "Sobrenome", "E-mail"],
    create: "Criar conta",
    notSignedUp: "Não foi possível assinar a mensagem de cadastro",
    created: "Conta criada com sucesso!",
    disconnected: "Carteira desconectada",
    reconnect: /^Reconectar/,
    otherWallet: "A carteira conectada é outra. Entre com ela para continuar.",
    notSigned: "Falha na assinatura",
    sign: "Confirme a assinatura na sua carteira para entrar. Não custa nada.",
    askAgain: "Pedir a assinatura de novo",
    retry: "Tentar de novo",
    loggedIn: "Login realizado com sucesso",
  },
  en: {
    connect: "Connect wallet",
    waits: "Answer the request in your wallet. Did its window disappear? Click again.",
    declined: "The request was declined in the wallet. Nothing changed.",
    pending: "A request is already open in your wallet. Open the wallet and answer it.",
    connected: "Wallet connected successfully!",
    notAdded: "Error adding network",
    wrongNetwork: "Wrong network",
    rightNetwork: "Correct network",
    otherNetwork: "Your wallet is on another network. Switch to the Torcida network to continue.",
    switchNetwork: "Switch network",
    register: "Continue to registration",
    fields: ["First name", "Last name", "Email"],
    create: "Create account",
    notSignedUp: "Failed to sign registration message",
    created: "Account created successfully!",
    disconnected: "Wallet disconnected",
    reconnect: /^Reconnect/,
    otherWallet: "Another wallet is connected. Log in with it to continue.",
    notSigned: "Signature failed",
    sign: "Confirm the signature in your wallet to log in. It costs nothing.",
    askAgain: "Ask for the signature again",
    retry: "Try again",
    loggedIn: "Logged in successfully",
  },
} as const;

/** One newcomer whose wallet first says no, or nothing, at each step. docs/product.md#wallet */
describe("A wallet that says no at each step @deep", () => {
  const site = useSite();
  const PENDING = { code: -32002, message: "already pending" };

  for (const language of ["pt", "en"] as const) {
    const words = WORDS[language];

    describe(`in ${language}`, () => {
      let page: Page;
      let wallet: TestWallet;
      let problems: string[];
      const main = () => page.getByRole("main");
      const press = (name: string) => main().getByRole("button", { name, exact: true }).click();
      const toast = (text: string) => page.locator("[data-sonner-toast]").filter({ hasText: text }).first().waitFor();
      /** The sentence that stays, and the button that leads on. */
      const notice = () => page.locator(".notice").filter({ hasText: words.otherNetwork });
      const switchNetwork = () => notice().getByRole("button", { name: words.switchNetwork }).click();
      const isLoggedIn = async () => (await page.evaluate(() => localStorage.getItem("auth_token"))) === SESSION_TOKEN;

      it("gets its owner as far as one that agrees", async () => {
        wallet = testWallet({ chainId: 1, knownChains: [1] });
        ({ page, problems } = await site.open("/auth", { wallet, storage: { language } }));
        await refusesToConnect();
        await answersLate();
        await refusesTheNetwork();
        await refusesToSignUp();
        await leavesTheNetwork();
        await isLocked();
        await changesTheAccount();
        await refusesToLogIn();
        expect(problems).to.deep.equal([]);
      });

      async function refusesToConnect() {
        wallet.rejectNext("wallet_requestPermissions");
        await press(words.connect);
        await page.locator(".notice").filter({ hasText: words.declined }).waitFor();
        await main().getByRole("button", { name: words.connect, exact: true }).waitFor();
      }

      /** The network it does not know is refused as soon as it is connected. */
      async function answersLate() {
        const answer = wallet.holdNext("wallet_requestPermissions");
        await main().getByRole("button", { name: words.connect, exact: true }).click();
        await main().getByText(words.waits).waitFor();
        wallet.failNext("wallet_requestPermissions", PENDING);
        await main().locator('.button[aria-busy="true"]').click();
        await toast(words.pending);
        wallet.rejectNext("wallet_addEthereumChain");
        answer();
        await toast(words.connected);
      }

      async function refusesTheNetwork() {
        await toast(words.notAdded);
        await toast(words.declined);
        wallet.knownChains.add(CHAIN_IDS.spicy);
        wallet.rejectNext("wallet_switchEthereumChain");
        await switchNetwork();
        await page
          .locator("[data-sonner-toast]")
          .filter({ hasText: words.wrongNetwork })
          .filter({ hasText: words.declined })
          .waitFor();
        await switchNetwork();
        await toast(words.rightNetwork);
        await notice().waitFor({ state: "detached" });
      }

      async function refusesToSignUp() {
        await press(words.register);
        const typed = ["Ana", "Maria Silva", "ana@example.com"];
        for (const [index, label] of words.fields.entries()) {
          await page.getByLabel(label, { exact: true }).fill(typed[index] ?? "");
        }
        wallet.rejectNext("personal_sign");
        await press(words.create);
        await main().getByRole("alert").getByText(words.notSignedUp).waitFor();
        expect(await page.getByLabel(words.fields[0], { exact: true }).inputValue()).to.equal("Ana");
        await press(words.create);
        await page.waitForURL("**/dashboard");
        expect(await isLoggedIn()).to.equal(true);
      }

      async function leavesTheNetwork() {
        // The last of the app's own switches no longer counts as such.
        await page.evaluate(() => Object.assign(window, { stillHere: true }));
        await wallet.changeChain(1);
        await toast(words.wrongNetwork);
        await page.waitForFunction(() => !("stillHere" in window));
        wallet.failNext("wallet_switchEthereumChain", PENDING);
        await switchNetwork();
        await toast(words.pending);
        await switchNetwork();
        await toast(words.rightNetwork);
        await notice().waitFor({ state: "detached" });
        expect(await isLoggedIn()).to.equal(true);
      }

      async function isLocked() {
        await wallet.lock();
        await toast(words.disconnected);
        wallet.rejectNext("wallet_requestPermissions");
        const again = page.getByRole("banner").getByRole("button", { name: words.reconnect });
        await again.click();
        await page.locator(".notice").filter({ hasText: words.declined }).waitFor();
        await again.click();
        await page.getByRole("banner").getByRole("button", { name: /^0x/ }).waitFor();
        expect(await isLoggedIn()).to.equal(true);
      }

      async function changesTheAccount() {
        await wallet.changeAccount(1);
        await toast(words.otherWallet);
        await page.waitForURL(/\/auth/);
        expect(await isLoggedIn()).to.equal(false);
        await main().getByRole("button", { name: words.register }).waitFor();
      }

      async function refusesToLogIn() {
        wallet.rejectNext("personal_sign");
        await wallet.changeAccount(0);
        await toast(words.notSigned);
        await main().getByRole("alert").getByText(words.declined).waitFor();
        const answer = wallet.holdNext("personal_sign");
        await press(words.retry);
        await main().getByText(words.sign).waitFor();
        wallet.failNext("personal_sign", PENDING);
        await press(words.askAgain);
        await main().getByRole("alert").getByText(words.pending).waitFor();
        answer();
        await toast(words.loggedIn);
        await page.waitForURL("**/dashboard");
        expect(await isLoggedIn()).to.equal(true);
      }
    });
  }
});
