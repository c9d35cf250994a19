import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { clubTableQuery } from "../api/fan-queries.ts";
import { paths } from "../app/paths.ts";
import { ClubMonths, useMonthName } from "../club/club-months.tsx";
import { useText } from "../i18n/language.tsx";

const SHOWN = 3;

/** Last month's first clubs; nothing while no club has fans enough to tell. docs/product.md#fans */
export default function Placar() {
  const t = useText();
  const monthName = useMonthName();
  const { data } = useQuery(clubTableQuery);
  if (!data || data.clubs.length === 0) return null;
  return (
    <section className="page" aria-labelledby="placar">
      <h2 id="placar" className="section-title">
        {t("fansTable.home", { month: monthName(data.month) })}
      </h2>
      <ClubMonths clubs={data.clubs.slice(0, SHOWN)} />
      <p>
        <Link className="link" to={paths.clubTable}>
          {t("fansTable.all")}
        </Link>
      </p>
    </section>
  );
}
