import { useQuery } from "@tanstack/react-query";
import { useIntl } from "react-intl";
import { Link } from "react-router";
import { STORE_BONUS_BPS, TIERS_PROGRAM, tokenMatchesClub } from "../../core/rules/bonus.ts";
import { percentText } from "../../core/rules/money.ts";
import { configQuery, fanTokensQuery } from "../api/queries.ts";
import type { FanToken, Store } from "../api/shapes.ts";
import { paths } from "../app/paths.ts";
import { useText } from "../i18n/language.tsx";
import { useFormat } from "../i18n/use-format.ts";

type ClubTokensProps = { club: { token_slug: string | null }; stores: readonly Store[] };

/** What the club's fan token adds, and where: not at a store for which nobody confirmed the club. docs/product.md#bonus-match */
export function ClubTokens({ club, stores }: ClubTokensProps) {
  const t = useText();
  const { data: tokens = [] } = useQuery(fanTokensQuery);
  const found = tokens
    .map((token) => ({ token, at: stores.filter((store) => tokenMatchesClub(token, store)) }))
    .filter(({ token, at }) => at.length > 0 || (stores.length === 0 && token.slug === club.token_slug));
  if (found.length === 0) return null;
  return (
    <section className="page" aria-labelledby="club-token">
      <h2 id="club-token" className="section-title">
        {t("clubPage.token")}
      </h2>
      {found.map(({ token, at }) => (
        <TokenBonus
          key={token.slug}
          token={token}
          names={at.length < stores.length ? at.map(({ name }) => name) : []}
        />
      ))}
      <p className="mt-2">
        <Link className="link" to={paths.help("bonus")}>
          {t("clubPage.token.rule")}
        </Link>
      </p>
    </section>
  );
}

function TokenBonus({ token, names }: { token: FanToken; names: readonly string[] }) {
  const t = useText();
  const intl = useIntl();
  const { percent } = useFormat();
  const program = useQuery(configQuery).data.bonus_program;
  const bps = program === "tiers" ? TIERS_PROGRAM.goldBps : STORE_BONUS_BPS;
  return (
    <p className="example">
      {t(program === "tiers" ? "clubPage.token.tiers" : "clubPage.token.club", {
        percent: percent(percentText(bps)),
        token: token.symbol,
      })}{" "}
      {names.length > 0 && t("clubPage.token.some", { stores: intl.formatList(names) })}
    </p>
  );
}
