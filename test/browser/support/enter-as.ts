import type { Page } from "playwright-core";

/** Connects a demo wallet and registers with it. */
export async function enterAs(page: Page, url: string, wallet: string | RegExp): Promise<void> {
  await page.goto(`${url}/auth`);
  await page.getByRole("tabpanel").getByRole("button", { name: "Conectar carteira" }).click();
  await page.getByRole("button", { name: wallet }).click();
  await page.getByRole("button", { name: "Aprovar" }).click();
  await page.getByRole("button", { name: "Continuar para o cadastro" }).click();
  await page.getByLabel(/^Nome$/).fill("Bia");
  await page.getByLabel(/^Sobrenome$/).fill("Souza");
  await page.getByLabel(/^E-mail$/).fill("bia@example.com");
  await page.getByRole("button", { name: "Criar conta" }).click();
  await page.getByRole("button", { name: "Aprovar" }).click();
  await page.waitForURL("**/dashboard");
}
