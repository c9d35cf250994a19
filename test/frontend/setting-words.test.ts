import { expect } from "chai";
import { readEnvironment } from "../../api/environment.ts";
import { listSettings } from "../../api/settings-in-force.ts";
import texts from "../../core/rules/languages/panel/pt.json" with { type: "json" };
import { SETTING_GROUPS, settingFigure } from "../../frontend/admin/settings/setting-words.ts";
import { t } from "../../frontend/admin/texts.ts";

describe("The effective configuration, in the panel's words", () => {
  const names = listSettings(readEnvironment({ OPERATOR_PRIVATE_KEY: `0x${"ab".repeat(32)}` }), {}).map(
    ({ name }) => name,
  );

  const known = Object.values(SETTING_GROUPS).flat();

  it("has every variable of the api in one group, and no other", () => {
    expect(known.toSorted()).to.deep.equal(names);
  });

  it("says each variable in words of its own, and has words for no other", () => {
    expect(new Set(known.map((name) => t(`setting.${name}`))).size).to.equal(names.length);
    const said = Object.keys(texts).flatMap((id) => /^setting\.(.+)/.exec(id)?.[1] ?? []);
    expect(said.toSorted()).to.deep.equal(names);
  });

  it("says each figure with its unit, and the server's words in words", () => {
    const number = (value: string | number) => new Intl.NumberFormat("pt-BR").format(Number(value));
    const format = {
      number,
      brl: (reais: string | number) => `R$ ${number(reais)}`,
      percent: (value: string | number) => `${number(value)}%`,
    };
    const said = (name: string, value: string) => settingFigure(name, value, format);
    expect([said("HOLD_SECONDS", "1209600"), said("DRAIN_SECONDS", "0")]).to.deep.equal(["14 dias", "0 segundos"]);
    expect([said("BATCH_AGE_MS", "1500"), said("MAX_FEE_GWEI", "5000")]).to.deep.equal(["1,5 s", "5.000 gwei"]);
    expect([said("LOW_BALANCE_CHZ", "50"), said("SALE_MAX_REAIS", "2000")]).to.deep.equal(["50 CHZ", "R$ 2.000"]);
    expect([said("CLAIM_AFTER_DAYS", "1"), said("SALE_OVERDUE_DAYS", "90")]).to.deep.equal(["1 dia", "90 dias"]);
    expect([said("RATE_MAX_JUMP_PERCENT", "20"), said("CONFIRMATIONS", "15")]).to.deep.equal(["20%", "15 blocos"]);
    expect([said("PAYOUTS_PAUSED", "true"), said("SIMULATED_PURCHASES", "false")]).to.deep.equal(["sim", "não"]);
    for (const name of ["AUTH_MODE", "BONUS_PROGRAM", "LOG_LEVEL"]) {
      const values = { AUTH_MODE: "strict", BONUS_PROGRAM: "tiers", LOG_LEVEL: "info" };
      expect(said(name, values[name as keyof typeof values]), name).to.match(/ /);
    }
    const rates = listSettings(readEnvironment({ FX_RATES: "USD:5.4321,EUR:6" }), {}).find(
      ({ name }) => name === "FX_RATES",
    );
    expect(said("FX_RATES", rates?.value ?? "")).to.equal("1 USD = R$ 5,4321 · 1 EUR = R$ 6,00");
    expect([said("SENDER_KEYS", ""), said("SENDER_KEYS", "none")]).to.deep.equal(["todas", "nenhuma"]);
    expect([said("PORT", "3000"), said("RPC_URLS", "https://node.example")]).to.deep.equal([undefined, undefined]);
  });
});
