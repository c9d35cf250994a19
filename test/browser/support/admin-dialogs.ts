import type { Page } from "playwright-core";

type Found = { count(): Promise<number>; first(): { click(): Promise<void>; waitFor(): Promise<void> } };

/** Opens what a form has folded, in Chromium or without. */
export async function unfold(form: { locator(selector: string): Found }): Promise<void> {
  const folded = form.locator("details:not([open]) > summary");
  await form.locator("details").first().waitFor();
  while ((await folded.count()) > 0) await folded.first().click();
}

const press = (page: Page, name: string | RegExp) => page.getByRole("button", { name }).first().click();
const problem = (page: Page) => page.getByRole("alert").first().waitFor();

async function openStore(page: Page): Promise<void> {
  await press(page, /Detalhes.*Verdão Store/);
  await page.getByRole("button", { name: "Adicionar cashback" }).waitFor();
}

type AdminDialog = {
  name: string;
  tab: "stores" | "fan-tokens";
  /** Another of them has the same form or question, with other words. */
  isVariant?: boolean;
  act: (page: Page) => Promise<void>;
};

/** Every dialog and form of the panel, as it opens and with invalid input. */
export const ADMIN_DIALOGS: readonly AdminDialog[] = [
  { name: "new-store", tab: "stores", isVariant: true, act: (page) => press(page, "Nova loja") },
  {
    name: "new-store-wrong",
    tab: "stores",
    act: async (page) => {
      await press(page, "Nova loja");
      await unfold(page.getByRole("dialog"));
      await page.getByLabel("URL do logo").fill("http://img.example/logo.png");
      await press(page, "Criar loja");
      await problem(page);
    },
  },
  {
    name: "edit-store",
    tab: "stores",
    isVariant: true,
    act: async (page) => {
      await openStore(page);
      await press(page, "Editar loja");
    },
  },
  {
    name: "delete-store",
    tab: "stores",
    act: async (page) => {
      await openStore(page);
      await press(page, "Excluir loja");
    },
  },
  {
    name: "new-cashback",
    tab: "stores",
    isVariant: true,
    act: async (page) => {
      await openStore(page);
      await press(page, "Adicionar cashback");
    },
  },
  {
    name: "new-cashback-wrong",
    tab: "stores",
    act: async (page) => {
      await openStore(page);
      await press(page, "Adicionar cashback");
      await page.getByLabel("Percentual de cashback").fill("101");
      await page.getByRole("dialog").getByRole("button", { name: "Adicionar" }).click();
      await problem(page);
    },
  },
  {
    name: "edit-cashback",
    tab: "stores",
    isVariant: true,
    act: async (page) => {
      await openStore(page);
      await press(page, /^Editar –/);
    },
  },
  {
    name: "delete-cashback",
    tab: "stores",
    isVariant: true,
    act: async (page) => {
      await openStore(page);
      await press(page, /^Excluir –/);
    },
  },
  {
    name: "fan-token-wrong",
    tab: "fan-tokens",
    act: async (page) => {
      await page.getByLabel("Slug").fill("foot ball");
      await press(page, "Salvar");
      await problem(page);
    },
  },
  { name: "edit-fan-token", tab: "fan-tokens", isVariant: true, act: (page) => press(page, /^Editar –/) },
  { name: "delete-fan-token", tab: "fan-tokens", isVariant: true, act: (page) => press(page, /^Excluir –/) },
];
