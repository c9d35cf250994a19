import { expect } from "chai";
import { type Permission, panelPermissionsOf, permissionsOf, ROLES, type Role } from "../../../core/rules/roles.ts";
import {
  approvalGroup,
  approvals,
  attention,
  BUYER,
  COLLEAGUE,
  fillPanel,
  purchaseDetails,
  sales,
} from "../../browser/support/panel-data.ts";
import { testWallet } from "../../browser/support/test-wallet.ts";
import { eventually, until } from "../../testing/until.ts";
import type { ComponentPage as Page } from "./support/component-site.ts";
import { useComponents } from "./support/component-site.ts";

/** A button of each place that changes something, and what it takes. */
const BUTTONS: readonly (readonly [path: string, name: RegExp, permission: Permission])[] = [
  ["view=payments", /^Pausar pagamentos/, "payments"],
  ["view=payments", /^Tentar de novo – compra nº 9/, "payments"],
  ["view=approvals", /^Aprovar – pedido nº 5/, "payments"],
  ["view=approvals", /^Recusar – pedido nº 5/, "payments"],
  ["view=claims", /^Ligar a uma venda/, "claims"],
  ["view=claims", /^Recusar – pedido/, "claims"],
  ["tab=stores", /^(Nova|Criar|Adicionar|Cadastrar).*loja/i, "catalogue"],
];

/** Each view and tab, with the call without which it is nothing. */
const MALFORMED: readonly (readonly [path: string, call: string])[] = [
  ["view=overview", "/api/admin/overview"],
  ["view=sales", "/api/admin/sales"],
  ["view=payments", "/api/admin/payments"],
  ["view=approvals", "/api/admin/approvals"],
  ["view=claims", "/api/admin/claims"],
  ["view=margin", "/api/admin/margin"],
  ["view=log", "/api/admin/audit-log"],
  ["tab=stores", "/api/admin/stores"],
  ["tab=fan-tokens", "/api/fan-tokens"],
  ["tab=users", "/api/admin/users"],
  ["tab=settings", "/api/admin/configuration"],
];

describe("The panel, role by role", () => {
  const site = useComponents();

  async function openAs(role: Role, path: string, prepare = (_reader: string) => {}): Promise<Page> {
    const wallet = testWallet();
    site.server.reset();
    site.server.isAdmin = true;
    site.server.signIn(wallet.address);
    const reader = wallet.address.toLowerCase();
    fillPanel(site.server, role, reader);
    prepare(reader);
    const { page } = await site.openLoggedIn(`/admin?${path}`, { wallet });
    await page.getByRole("heading", { level: 1, name: "Painel de Administração" }).waitFor();
    return page;
  }

  for (const role of ROLES) {
    it(`enables what the role ${role} allows, and explains why the rest is disabled`, async function () {
      this.timeout(300_000);
      for (const path of new Set(BUTTONS.map(([of]) => of))) {
        const page = await openAs(role, path);
        for (const [, name, permission] of BUTTONS.filter(([of]) => of === path)) {
          const button = page.getByRole("button", { name }).first();
          await button.waitFor();
          const isAllowed = permissionsOf(role).includes(permission);
          await eventually(async () => {
            expect(await button.isEnabled(), `${role} ${path} ${name}`).to.equal(isAllowed);
            if (!isAllowed) expect(await button.getAttribute("title")).to.match(/^Seu papel \(.+\) não pode .+\.$/);
          });
        }
        const notice = page.getByText(/^Seu papel é .+: você vê tudo, mas não pode/);
        await eventually(async () =>
          expect(await notice.count(), `${role} is told what is left out`).to.equal(role === "owner" ? 0 : 1),
        );
      }
    });
  }

  it("says of the reader's own request that nobody else could agree", async () => {
    const page = await openAs("operator", "view=approvals", () =>
      site.server.answer("GET /api/admin/role", {
        body: {
          ...{ success: true, role: "operator", permissions: panelPermissionsOf("operator") },
          ...{ percent_alone: 10, approvers: { catalogue: [COLLEAGUE], payments: [] } },
        },
      }),
    );
    await page.getByText("Ninguém mais pode aprovar.").waitFor();
    expect(await page.getByText("Espera outra pessoa.").count()).to.equal(0);
    await page.getByRole("link", { name: "Pagamentos" }).click();
    await page.getByRole("button", { name: "Tentar de novo – compra nº 9" }).click();
    await page.getByRole("dialog").getByText("fica esperando: ninguém mais pode aprovar.").waitFor();
  });

  it("shows who requested a payout, its amount and recipient, and sends the decision with its reason", async () => {
    const page = await openAs("operator", "view=approvals");
    await page.getByText("Quando as decisões de uma pessoa passam de 100,00 CHZ num dia").waitFor();
    await eventually(async () =>
      expect(await page.getByText("Espera outra pessoa.").count(), "the reader's own request").to.equal(1),
    );
    await page.getByRole("button", { name: "Aprovar – pedido nº 5" }).click();
    const dialog = page.getByRole("dialog", { name: "Aprovar o pedido nº 5?" });
    for (const text of ["Pagar a compra nº 9", "464,92 CHZ", BUYER, COLLEAGUE])
      await dialog.getByText(text).first().waitFor();
    await dialog.getByRole("button", { name: "Aprovar pagamento" }).click();
    await dialog.getByText("Escreva o motivo.").waitFor();
    site.server.answer("POST /api/admin/approvals/5/approve", { body: { success: true, message: "Payment approved" } });
    await dialog.getByLabel("Motivo", { exact: true }).fill("Conferido");
    await dialog.getByRole("button", { name: "Aprovar pagamento" }).click();
    await dialog.waitFor({ state: "detached" });
    const [call] = site.server.callsTo("POST /api/admin/approvals/5/approve");
    expect(call?.body).to.deep.equal({ reason: "Conferido" });
  });

  it("loses one view by a malformed answer, says so, and tells the operator without anything of the user", async () => {
    const page = await openAs("owner", "");
    const rows = [{ id: 9, wallet: BUYER }];
    site.server.answer("GET /api/admin/purchases", { body: { success: true, rows, next_before: null, total: 1 } });
    await page.getByRole("link", { name: /^Compras/ }).click();
    await page.getByText("O servidor respondeu algo que esta página não entende.").waitFor();
    await page.getByRole("link", { name: /^Pagamentos/ }).click();
    await page.getByText("Compra nº 9").first().waitFor();
    await until("the operator is told", () => site.server.callsTo("POST /api/faults").length === 1);
    const [{ body, authorization } = {}] = site.server.callsTo("POST /api/faults");
    expect(body).to.deep.equal({
      kind: "answer",
      page: "/admin",
      at: "/api/admin/purchases",
      detail: "rows.0.store_id",
    });
    expect(authorization).to.equal(undefined);
  });

  it("says in their place that open tasks and figures are malformed, no JSON or away", async () => {
    const page = await openAs("owner", "tab=users", () => {
      site.server.answer("GET /api/admin/attention", { body: { success: true, attention: BUYER } });
      site.server.answer("GET /api/admin/figures", { text: `{"success":true,"data":{"wallet":"${BUYER}` });
    });
    await page.goto(`${site.server.url}/admin`);
    for (const what of ["o que precisa de você", "o movimento"])
      await page
        .getByRole("alert")
        .filter({ hasText: `Não foi possível carregar ${what}.` })
        .getByText("O servidor respondeu algo que esta página não entende.")
        .waitFor();
    await page.getByText("CHZ distribuídos").waitFor();
    const fault = { kind: "answer", page: "/admin" };
    for (const told of [
      { ...fault, at: "/api/admin/attention", detail: "attention" },
      { ...fault, at: "/api/admin/figures", detail: "" },
    ])
      await eventually(async () =>
        expect(site.server.callsTo("POST /api/faults").map(({ body }) => body)).to.deep.include(told),
      );
    site.server.answer("GET /api/admin/attention", { status: 500, body: { success: false, error: "Database away" } });
    await page.reload();
    await page.getByText("Não foi possível carregar o que precisa de você.").waitFor();
  });

  for (const [path, call] of MALFORMED)
    it(`loses only "${path}" by a malformed answer of ${call}, and tells the operator${path === "view=overview" ? "" : " @deep"}`, async () => {
      const page = await openAs("owner", "tab=users");
      site.server.answer(`GET ${call}`, { body: { success: true, rows: [{ id: "none" }], data: [{ id: "none" }] } });
      await page.goto(`${site.server.url}/admin?${path}`);
      await page.getByText("O servidor respondeu algo que esta página não entende.").first().waitFor();
      await page.getByRole("heading", { level: 1, name: "Painel de Administração" }).waitFor();
      await until("the operator is told", () => site.server.callsTo("POST /api/faults").length > 0);
      const told = site.server.callsTo("POST /api/faults").map(({ body }) => (body as { at: string }).at);
      expect(told).to.include(call);
      await page.getByRole("tab", { name: path.startsWith("tab") ? /^(Dashboard|Painel|Visão)/ : "Lojas" }).click();
      await page
        .getByText("O servidor respondeu algo que esta página não entende.")
        .first()
        .waitFor({ state: "detached" });
    });

  it("says that the answer to a decision is malformed, and tells the operator", async () => {
    const page = await openAs("operator", "view=approvals");
    site.server.answer("POST /api/admin/approvals/5/approve", { body: { success: true, approval_id: "six" } });
    await page.getByRole("button", { name: "Aprovar – pedido nº 5" }).click();
    const dialog = page.getByRole("dialog", { name: "Aprovar o pedido nº 5?" });
    await dialog.getByLabel("Motivo", { exact: true }).fill("Conferido");
    await dialog.getByRole("button", { name: "Aprovar pagamento" }).click();
    await dialog.getByText("O servidor respondeu algo que esta página não entende.").waitFor();
    await until("the operator is told", () => site.server.callsTo("POST /api/faults").length === 1);
    const at = { kind: "answer", at: "/api/admin/approvals/:id/approve", detail: "approval_id" };
    expect(site.server.callsTo("POST /api/faults")[0]?.body).to.include(at);
  });

  it("loses one view if it cannot be drawn, and draws it when asked again", async () => {
    const page = await openAs("owner", "view=log");
    const { body: margin } = await page.evaluate(async () => ({
      body: await (await fetch("/api/admin/margin")).json(),
    }));
    const broken = { ...margin, rows: [{ ...margin.rows[0], month: "never" }] };
    site.server.answer("GET /api/admin/margin", { body: broken });
    await page.getByRole("link", { name: "Margem" }).click();
    await page.getByText("Esta parte da página falhou").waitFor();
    await page.getByRole("heading", { level: 1, name: "Painel de Administração" }).waitFor();
    await until("the operator is told", () => site.server.callsTo("POST /api/faults").length === 1);
    expect(site.server.callsTo("POST /api/faults")[0]?.body).to.include({ kind: "part", at: "margin" });
    site.server.answer("GET /api/admin/margin", { body: margin });
    await page.getByRole("button", { name: "Tentar de novo" }).click();
    await page.getByText("A plataforma ganha").waitFor();
  });

  it("retries all that waits on a page by one confirmation, and again only what was refused", async () => {
    const page = await openAs("operator", "view=payments");
    const ok = { body: { success: true, message: "The operation is retried now" } };
    site.server.answer("POST /api/admin/operations/9/retry", ok);
    const gone = { success: false, error: "Operation 8 is done", code: "NOT_STUCK" };
    site.server.answer("POST /api/admin/operations/8/retry", { status: 409, body: gone });
    await page.getByRole("button", { name: "Tentar de novo os 2 pagamentos parados desta página" }).click();
    const dialog = page.getByRole("dialog", { name: "Tentar de novo os 2 pagamentos parados?" });
    await dialog.getByText("484,29 CHZ").waitFor();
    await dialog.getByLabel("Motivo", { exact: true }).fill("Contrato retomado");
    await dialog.getByRole("button", { name: "Tentar de novo 2" }).click();
    await dialog
      .getByText("Feito: 1 de 2. Nº 8: Esta transação não está mais parada: a lista mostra como está.")
      .waitFor();
    site.server.answer("POST /api/admin/operations/8/retry", ok);
    await dialog.getByRole("button", { name: "Tentar de novo 2" }).click();
    await dialog.waitFor({ state: "detached" });
    const calls = (id: number) => site.server.callsTo(`POST /api/admin/operations/${id}/retry`).map(({ body }) => body);
    const reason = { reason: "Contrato retomado" };
    expect([calls(9), calls(8)]).to.deep.equal([[reason], [reason, reason]]);
  });

  it("waits where the purse of its calls is empty, says for how long, and goes on by itself", async () => {
    const page = await openAs("operator", "view=payments");
    const ok = { body: { success: true, message: "The operation is retried now" } };
    site.server.answer("POST /api/admin/operations/9/retry", ok);
    const empty = { success: false, error: "Too many calls", code: "TOO_MANY_REQUESTS", purse: "wallet" };
    const tooMany = { status: 429, body: empty, headers: { "retry-after": "2" } };
    let calls = 0;
    site.server.answer("POST /api/admin/operations/8/retry", () => (++calls === 1 ? tooMany : ok));
    await page.getByRole("button", { name: "Tentar de novo os 2 pagamentos parados desta página" }).click();
    const dialog = page.getByRole("dialog", { name: "Tentar de novo os 2 pagamentos parados?" });
    await dialog.getByLabel("Motivo", { exact: true }).fill("Contrato retomado");
    await dialog.getByRole("button", { name: "Tentar de novo 2" }).click();
    await dialog.getByText("O servidor aceita mais em 2 s; o resto segue sozinho").waitFor();
    await dialog.waitFor({ state: "detached" });
    expect(calls).to.equal(2);
  });

  it("does nothing twice if the sign-in becomes too old between two decisions", async () => {
    const page = await openAs("operator", "view=payments");
    const ok = { body: { success: true, message: "The operation is retried now" } };
    site.server.answer("POST /api/admin/operations/9/retry", ok);
    const old = { success: false, error: "Sign in again", code: "PROOF_TOO_OLD" };
    site.server.answer("POST /api/admin/operations/8/retry", { status: 403, body: old });
    await page.getByRole("button", { name: "Tentar de novo os 2 pagamentos parados desta página" }).click();
    const dialog = page.getByRole("dialog", { name: "Tentar de novo os 2 pagamentos parados?" });
    await dialog.getByLabel("Motivo", { exact: true }).fill("Contrato retomado");
    await dialog.getByRole("button", { name: "Tentar de novo 2" }).click();
    const sign = dialog.getByRole("button", { name: "Assinar e continuar" });
    await sign.waitFor();
    site.server.answer("POST /api/admin/operations/8/retry", ok);
    // The first click connects the wallet, if the page has not done that by itself.
    await eventually(async () => {
      if (await sign.isEnabled({ timeout: 500 }).catch(() => false)) await sign.click();
      expect(await dialog.count()).to.equal(0);
    });
    const calls = (id: number) => site.server.callsTo(`POST /api/admin/operations/${id}/retry`).length;
    expect([calls(9), calls(8)]).to.deep.equal([1, 2]);
  });

  /** Answers a list of the panel with these rows. */
  const list = (name: string, rows: readonly object[]) =>
    site.server.answer(`GET /api/admin/${name}`, {
      body: { success: true, rows, next_before: null, total: rows.length },
    });

  it("shows a second person all that one person decided as one request, decided by one confirmation", async () => {
    const groups = (rows: readonly object[]) =>
      site.server.answer("GET /api/admin/approvals/together", { body: { success: true, groups: rows } });
    const page = await openAs("operator", "view=approvals", (reader) =>
      groups([
        approvalGroup({ count: 1200, amount: "98765.5" }),
        approvalGroup({ asked_by: reader, count: 3 }),
        approvalGroup({ asked_by: BUYER, count: 1 }),
      ]),
    );
    const section = page.getByRole("region", { name: "Tudo o que espera uma segunda pessoa" });
    await section.getByRole("heading", { name: "1.200 pagamentos, 98.765,50 CHZ" }).waitFor();
    expect(await section.getByRole("listitem").count(), "a single one has its own row").to.equal(2);
    const own = section.getByRole("listitem").nth(1);
    for (const text of ["Por decisão sua", "Espera outra pessoa."]) await own.getByText(text).waitFor();
    await section.getByRole("button", { name: /^Aprovar todos/ }).click();
    const dialog = page.getByRole("dialog");
    for (const figure of ["1.200", "98.765,50 CHZ", "464,92 CHZ", /^19\sde\snov/, /^20\sde\snov/])
      await dialog.getByText(figure).first().waitFor();
    await dialog.getByLabel("Motivo", { exact: true }).fill("Conferidos");

    // Somebody else decided about some meanwhile: the dialog shows what is left, and decides about that.
    const changed = { success: false, error: "The requests have changed", code: "REQUESTS_CHANGED" };
    site.server.answer("POST /api/admin/approvals/approve", () => {
      groups([approvalGroup({ count: 7, amount: "700", until: 5 })]);
      return { status: 409, body: changed };
    });
    await dialog.getByRole("button", { name: "Aprovar 1.200" }).click();
    await dialog.getByText("Os pedidos mudaram desde que você os leu.").waitFor();
    await dialog.getByText("700,00 CHZ").waitFor();
    site.server.answer("POST /api/admin/approvals/approve", () => {
      groups([]);
      return { body: { success: true, message: "7 payments approved" } };
    });
    await dialog.getByRole("button", { name: "Aprovar 7" }).click();
    await page.getByText("7 pagamentos aprovados: já estão a caminho.").waitFor();
    await section.waitFor({ state: "detached" });
    const sent = site.server.callsTo("POST /api/admin/approvals/approve").map(({ body }) => body);
    const seen = { asked_by: COLLEAGUE, reason: "Conferidos" };
    expect(sent).to.deep.equal([
      { ...seen, until: 6, count: 1200, amount: "98765.5" },
      { ...seen, until: 5, count: 7, amount: "700" },
    ]);
  });

  it("shows what another person decided first, in list and counts, without a reload", async () => {
    const page = await openAs("operator", "view=approvals", (reader) =>
      list("approvals", [approvals(reader)[0] ?? {}]),
    );
    await page.getByRole("link", { name: /^Aprovações\s*1 à espera de alguém$/ }).waitFor();
    site.server.answer("POST /api/admin/approvals/5/approve", () => {
      list("approvals", [{ ...approvals("")[0], state: "refused", decided_by: BUYER, decision_reason: "Devolvido" }]);
      site.server.answer("GET /api/admin/attention", {
        body: { success: true, attention: { ...attention, open_approvals: 0 } },
      });
      return { status: 409, body: { success: false, error: "This request is already decided", code: "DECIDED" } };
    });
    await page.getByRole("button", { name: "Aprovar – pedido nº 5" }).click();
    await page.getByLabel("Motivo", { exact: true }).fill("Conferido");
    await page.getByRole("button", { name: "Aprovar pagamento" }).click();
    await page.getByText("Outra pessoa já decidiu este pedido: a lista mostra como ficou.").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("link", { name: "Aprovações", exact: true }).waitFor();
    await page.getByRole("row", { name: /Devolvido.*Ana Souza/ }).waitFor();
    expect(await page.getByRole("button", { name: "Aprovar – pedido nº 5" }).count()).to.equal(0);
  });

  it("lists a refused payout among the open tasks, and asks for it again", async () => {
    const page = await openAs("operator", "", async () => {
      site.server.answer("GET /api/admin/attention", {
        body: { success: true, attention: { ...attention, refused_payouts: 1 } },
      });
      site.server.answer("GET /api/admin/purchases/8", {
        body: {
          success: true,
          purchase: {
            ...purchaseDetails(8),
            state: "confirmed",
            situation: "payout_refused",
            waits_for: "second_decision",
          },
        },
      });
    });
    await page.getByRole("link", { name: /1 pagamento recusado espera nova decisão/ }).click();
    await page.waitForURL(/view=approvals.*state=refused/);
    await page.goto(new URL("?view=purchases&row=8", page.url()).href);
    await page.getByText("Outra pessoa recusou o pagamento: peça de novo, ou recuse a venda.").waitFor();
    await page.getByRole("button", { name: "Pedir de novo" }).click();
    const dialog = page.getByRole("dialog", { name: "Pedir de novo o pagamento da compra nº 8?" });
    await dialog.getByLabel("Motivo", { exact: true }).fill("Conferido com a loja");
    site.server.answer("POST /api/admin/purchases/8/release", {
      status: 202,
      body: { success: true, message: "Waiting for a second person", approval_id: 6 },
    });
    await dialog.getByRole("button", { name: "Pedir de novo" }).click();
    await eventually(async () => {
      const [call] = site.server.callsTo("POST /api/admin/purchases/8/release");
      expect(call?.body).to.deep.equal({ reason: "Conferido com a loja" });
    });
  });

  it("counts on view and filter what waits, and counts anew after a decision, without a reload", async () => {
    const page = await openAs("operator", "view=approvals", (reader) =>
      list("approvals", [approvals(reader)[0] ?? {}]),
    );
    await page.getByRole("link", { name: /^Aprovações\s*1 à espera de alguém$/ }).waitFor();
    await page.getByRole("button", { name: /^Espera aprovação\s*1 à espera de alguém$/ }).waitFor();
    site.server.answer("POST /api/admin/approvals/5/approve", () => {
      list("approvals", []);
      site.server.answer("GET /api/admin/attention", {
        body: { success: true, attention: { ...attention, open_approvals: 0, held_sales: 7, total: 16 } },
      });
      return { body: { success: true, message: "Payment approved" } };
    });
    await page.getByRole("button", { name: "Aprovar – pedido nº 5" }).click();
    await page.getByLabel("Motivo", { exact: true }).fill("Conferido");
    await page.getByRole("button", { name: "Aprovar pagamento" }).click();
    await page.getByRole("link", { name: /^Vendas\s*8 à espera de alguém$/ }).waitFor();
    await page.getByRole("link", { name: "Aprovações", exact: true }).waitFor();
    await page.getByRole("button", { name: "Espera aprovação", exact: true }).waitFor();
  });

  it("says what a fault of the installation asks for, its reason below as a technical detail", async () => {
    const page = await openAs("operator", "");
    await page.getByRole("link", { name: /^O certificado do site está no fim.*Renove-o/ }).waitFor();
    const reason = page.getByText("The certificate of shop.example ends in 3 days");
    expect(await reason.isVisible()).to.equal(false);
    await page.getByText("Detalhe técnico").first().click();
    await reason.waitFor();
  });

  it("releases all held sales of a page by one confirmation, but none that changed since it was listed", async () => {
    const page = await openAs("operator", "view=sales", () => {
      const [held, , settled] = sales;
      list("sales", [{ ...held }, { ...held, id: 13, amount: "77.00" }, { ...settled }]);
      const details = { unknown_groups: null, revisions: [], purchases: [], holds: ["low_commission"] };
      const changed = { ...held, ...details, id: 13, amount: "78.00", revision: 2 };
      site.server.answer("GET /api/admin/sales/13", { body: { success: true, sale: changed } });
      for (const id of [10, 12, 13]) {
        const body = { success: true, message: "Its payout waits for a second person", approval_id: 6 };
        site.server.answer(`POST /api/admin/sales/${id}/release`, { status: 202, body });
      }
    });
    await page.getByRole("button", { name: "Liberar as 2 vendas retidas desta página" }).click();
    const dialog = page.getByRole("dialog", { name: "Liberar as 2 vendas retidas?" });
    const limit = "Suas decisões podem pagar até 100,00 CHZ por dia. O que passar disso espera outra pessoa aprovar.";
    await dialog.getByText(limit).waitFor();
    await dialog.getByLabel("Motivo", { exact: true }).fill("Conferidas");
    await dialog.getByRole("button", { name: "Liberar 2" }).click();
    await dialog.getByText(/^Feito: 1 de 2\. Nº 13: .+ Parte espera uma segunda pessoa, em Aprovações\.$/).waitFor();
    const sent = [10, 12, 13].map((id) => site.server.callsTo(`POST /api/admin/sales/${id}/release`));
    const once = [{ reason: "Conferidas", revision: 1, holds: ["low_commission"] }];
    expect(sent.map((calls) => calls.map(({ body }) => body))).to.deep.equal([[], once, []]);
  });

  it("says whose wallets they are, by one call a list", async () => {
    const page = await openAs("owner", "view=approvals");
    await page.getByText("Equipe (operação)").first().waitFor();
    await page.getByText("Ana Souza").first().waitFor();
    await page
      .getByText(/^0x90f7\D+b906$/)
      .first()
      .waitFor();
    const asked = site.server.callsTo("GET /api/admin/names").map(({ query }) => query.wallets?.split(",") ?? []);
    expect(asked.flat()).to.include.members([BUYER, COLLEAGUE]);
    // Requests, requests together, percents, proposals: whichever comes first asks for those of others too.
    expect(asked.length, "one a list at most").to.be.at.most(4);
    expect(asked.flat(), "none is asked about twice").to.have.length(new Set(asked.flat()).size);
  });

  it("gives a wallet a nickname, after which it goes by it", async () => {
    const page = await openAs("support", "tab=users");
    const names = (name: string) => ({ body: { success: true, names: [{ wallet: BUYER, name, role: null }] } });
    site.server.answer(`POST /api/admin/users/${BUYER}/nickname`, () => {
      site.server.answer("GET /api/admin/names", names("Padaria do Zé"));
      return { body: { success: true, message: "Nickname saved" } };
    });
    await page
      .getByRole("row", { name: /Ana Souza/ })
      .first()
      .getByRole("link")
      .click();
    const sheet = page.getByRole("dialog").first();
    await sheet.getByText("Ana Souza").first().waitFor();
    await sheet.getByRole("button", { name: "Copiar o endereço" }).waitFor();
    await sheet.getByRole("button", { name: "Apelido" }).click();
    await page.getByRole("textbox", { name: "Apelido" }).fill(" Padaria do Zé ");
    await page.getByRole("button", { name: "Salvar apelido" }).click();
    await sheet.getByText("Padaria do Zé").first().waitFor();
    const calls = site.server.callsTo(`POST /api/admin/users/${BUYER}/nickname`);
    expect(calls.map(({ body }) => body)).to.deep.equal([{ nickname: "Padaria do Zé" }]);
  });

  it("says that a second person is needed, and leads to the requests", async () => {
    const page = await openAs("operator", "view=payments");
    site.server.answer("POST /api/admin/operations/9/retry", {
      status: 202,
      body: { success: true, message: "The payout waits for a second person", approval_id: 6 },
    });
    await page.getByRole("button", { name: "Tentar de novo – compra nº 9" }).click();
    await page.getByLabel("Motivo", { exact: true }).fill("Contrato retomado");
    await page.getByRole("dialog").getByRole("button", { name: "Tentar de novo" }).click();
    const dialog = page.getByRole("dialog", { name: "Falta uma segunda pessoa" });
    await dialog.getByRole("link", { name: "Ver aprovações" }).click();
    await page.getByRole("region", { name: "Aprovações" }).waitFor();
  });
});
