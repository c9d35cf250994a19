import { useQuery } from "@tanstack/react-query";
import type { AppConfig } from "../../core/rules/api/config.ts";
import { type TokenBalance, tokenMatchesClub } from "../../core/rules/bonus.ts";
import { SAMPLE_FAN_TOKENS } from "../../core/rules/fan-token-samples.ts";
import { formatDecimal, percentText } from "../../core/rules/money.ts";
import { configQuery, fanTokensQuery } from "../api/queries.ts";
import type { Profile } from "../api/shapes.ts";
import { useClub } from "../club/club.ts";
import { useText } from "../i18n/language.tsx";
import { useFormat } from "../i18n/use-format.ts";
import { balancesOf } from "../session/balances.ts";
import { Card } from "../ui/card.tsx";
import { Initial } from "../ui/initial.tsx";
import style from "./fan-tokens.module.css";
import { tierProgress } from "./tier-progress.ts";

/** "15", and which plural that is. */
function countOf(units: bigint, decimals: number, number: (text: string) => string) {
  const text = formatDecimal(units, decimals);
  return { amount: number(text), count: Number(text) };
}

/** Fan tokens with balances, tier, and what the next tier requires. */
export function FanTokens({ profile }: { profile: Profile }) {
  const t = useText();
  const program = useQuery(configQuery).data.bonus_program;
  const balances = balancesOf(profile);
  const { data: known } = useQuery(fanTokensQuery);
  const club = useClub();
  const isClubs = (token: { name: string; slug: string }) =>
    Boolean(club) && tokenMatchesClub(token, { club, clubToken: null });
  const tokens = [
    ...SAMPLE_FAN_TOKENS,
    ...(known ?? []).filter((one) => !SAMPLE_FAN_TOKENS.some(({ slug }) => slug === one.slug)),
  ].sort((a, b) => Number(isClubs(b)) - Number(isClubs(a)));
  return (
    <Card title={t("tokens.title")}>
      <div className="table-wrap">
        <table className={style.table}>
          <thead>
            <tr>
              <th scope="col">{t("tokens.token")}</th>
              <th scope="col" className="numeric">
                {t("tokens.holdings")}
              </th>
              <th scope="col">{t("tokens.tier")}</th>
              <th scope="col">{t("tokens.next")}</th>
            </tr>
          </thead>
          <tbody>
            {tokens.map((token) => (
              <TokenRow
                key={token.slug}
                token={token}
                held={balances.find(token)}
                isKnown={profile.nativeBalance !== null && known !== undefined}
                isCounted={known?.some(({ slug, contract }) => slug === token.slug && contract !== "") ?? false}
                program={program}
              />
            ))}
          </tbody>
        </table>
      </div>
    </Card>
  );
}

type TokenRowProps = {
  token: { symbol: string; name: string };
  held: TokenBalance;
  /** Whether the chain told the balance, and the catalogue its contract. */
  isKnown: boolean;
  /** Whether it has a contract: without one, nobody's balance of it earns a bonus. */
  isCounted: boolean;
  program: AppConfig["bonus_program"];
};

function TokenRow({ token, held, isKnown, isCounted, program }: TokenRowProps) {
  const t = useText();
  const { decimal, percent } = useFormat();
  const { reached } = tierProgress(held, program);
  const name = (
    <th scope="row">
      <span className={style.token}>
        <Initial name={token.symbol} letters={3} className={style.mark} />
        <span>
          <span className="block font-semibold">{token.symbol}</span>
          <span className="muted text-sm">{token.name}</span>
        </span>
      </span>
    </th>
  );
  if (!isKnown) {
    return (
      <tr>
        {name}
        <td className="numeric figures">—</td>
        <td>—</td>
        <td className="muted text-sm">—</td>
      </tr>
    );
  }
  return (
    <tr>
      {name}
      <td className="numeric figures">{decimal(formatDecimal(held.units, held.decimals))}</td>
      <td>
        {!isCounted ? (
          "—"
        ) : reached ? (
          <span
            className="badge"
            data-tier={reached.name}
          >{`${t(`tier.${reached.name}`)} +${percent(percentText(reached.bonusBps))}`}</span>
        ) : (
          <span className="badge">{t("tier.none")}</span>
        )}
      </td>
      <td className="muted text-sm">
        {isCounted ? <NextTier held={held} program={program} /> : t("tokens.uncounted")}
      </td>
    </tr>
  );
}

/** What the next tier requires, and how far it is. */
function NextTier({ held, program }: Pick<TokenRowProps, "held" | "program">) {
  const t = useText();
  const { number, percent } = useFormat();
  const { next, wayPercent } = tierProgress(held, program);
  return (
    <>
      <span className={style.way} aria-hidden="true">
        <span style={{ width: `${wayPercent}%` }} />
      </span>
      {!next
        ? t("tokens.top")
        : "above" in next
          ? t("tokens.above", {
              amount: String(next.above),
              percent: percent(percentText(next.bonusBps)),
            })
          : t("tokens.missing", {
              ...countOf(next.missing, held.decimals, number),
              percent: percent(percentText(next.bonusBps)),
            })}
    </>
  );
}
