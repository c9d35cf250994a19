import { useIntl } from "react-intl";
import { Link } from "react-router";
import type { ClubTable } from "../../core/rules/api/fans.ts";
import type { Heard } from "../api/heard.ts";
import { paths } from "../app/paths.ts";
import { useText } from "../i18n/language.tsx";
import { useFormat } from "../i18n/use-format.ts";
import style from "./club-months.module.css";
import { initialsOf, Shirt } from "./shirt.tsx";
import { useClubOf } from "./use-clubs.ts";

/** "outubro de 2026" */
export function useMonthName(): (month: string) => string {
  const { locale } = useIntl();
  const format = new Intl.DateTimeFormat(locale, { month: "long", year: "numeric", timeZone: "UTC" });
  return (month) => format.format(new Date(`${month}-01T00:00:00Z`));
}

type Row = Heard<ClubTable>["clubs"][number];

/** Clubs by cashback a fan. docs/product.md#fans */
export function ClubMonths({ clubs }: { clubs: readonly Row[] }) {
  return (
    <ol className={style.months}>
      {clubs.map((club, index) => (
        <ClubMonth key={club.slug} club={club} place={index + 1} />
      ))}
    </ol>
  );
}

type ClubMonthProps = { club: Row; place: number };

function ClubMonth({ club: { slug, name, fans, purchases, cashback, cashback_per_fan }, place }: ClubMonthProps) {
  const t = useText();
  const { chz } = useFormat();
  return (
    <li>
      <Shirt look={useClubOf(slug)} initials={initialsOf(name)} size={52} />
      <div>
        <h3>
          {place}.{" "}
          <Link className="link" to={paths.club(slug)}>
            {name}
          </Link>
        </h3>
        <p className="muted">{t("fansTable.sums", { fans, purchases, amount: chz(cashback) })}</p>
      </div>
      <p className={style.perFan}>{t("fansTable.perFan", { amount: chz(cashback_per_fan) })}</p>
    </li>
  );
}
