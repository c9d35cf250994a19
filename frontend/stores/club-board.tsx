import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import { Link } from "react-router";
import type { z } from "zod";
import type { clubResponseSchema } from "../../core/rules/api/clubs.ts";
import { clubTableQuery } from "../api/fan-queries.ts";
import type { Heard } from "../api/heard.ts";
import { paths } from "../app/paths.ts";
import { useMonthName } from "../club/club-months.tsx";
import { useText } from "../i18n/language.tsx";
import { useFormat } from "../i18n/use-format.ts";
import { LinkButton } from "../ui/link-button.tsx";
import style from "./club-board.module.css";

export type ClubFigures = Heard<z.infer<typeof clubResponseSchema>>["figures"];

/** What a club's fans did together in the last closed month, as a scoreboard; dark while they are too few. docs/product.md#fans */
export function ClubBoard({ slug, figures }: { slug: string; figures: ClubFigures }) {
  const t = useText();
  const id = useId();
  const { integer, number } = useFormat();
  const monthName = useMonthName();
  const { data: table } = useQuery(clubTableQuery);
  const place = 1 + (table?.clubs.findIndex((one) => one.slug === slug) ?? -1);
  const month = figures?.month ?? table?.month;
  return (
    <section className="page" aria-labelledby={id}>
      <div className={style.board}>
        <h2 id={id}>{figures ? t("clubPage.board", { month: monthName(figures.month) }) : t("clubPage.few")}</h2>
        {figures ? (
          <dl>
            <div>
              <dt>{t("clubPage.fans", { count: figures.fans })}</dt>
              <dd className="figures">{integer(figures.fans)}</dd>
            </div>
            <div>
              <dt>{t("clubPage.purchases", { count: figures.purchases })}</dt>
              <dd className="figures">{integer(figures.purchases)}</dd>
            </div>
            <div>
              <dt>{t("clubPage.back")}</dt>
              <dd className="figures">{`${number(figures.cashback)} CHZ`}</dd>
            </div>
          </dl>
        ) : (
          month && <p>{t("clubPage.few.hint", { month: monthName(month) })}</p>
        )}
        <p className={style.foot}>
          {place > 0 && (
            <Link to={paths.clubTable} className="link">
              {t("clubPage.place", { place })}
            </Link>
          )}
          <LinkButton className="button button-chalk" to={paths.profile}>
            {t("clubPage.count")}
          </LinkButton>
        </p>
        {figures && <p className={style.rule}>{t("clubPage.rule")}</p>}
      </div>
    </section>
  );
}
