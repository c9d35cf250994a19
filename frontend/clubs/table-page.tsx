import { useQuery } from "@tanstack/react-query";
import { clubTableQuery } from "../api/fan-queries.ts";
import { PageHeading } from "../app/page.tsx";
import { paths } from "../app/paths.ts";
import { ClubMonths, useMonthName } from "../club/club-months.tsx";
import { useText } from "../i18n/language.tsx";
import { LinkButton } from "../ui/link-button.tsx";
import { Skeletons } from "../ui/skeleton.tsx";
import { EmptyPanel, RetryPanel } from "../ui/state-panel.tsx";
import style from "./table-page.module.css";

/** The month's table of all clubs whose figures are told. docs/product.md#fans */
export default function TablePage() {
  const t = useText();
  const monthName = useMonthName();
  const table = useQuery(clubTableQuery);
  const { data } = table;
  return (
    <section className="page grid gap-4">
      <PageHeading>{t("fans.title")}</PageHeading>
      <p className="lead">{t("fansTable.lead")}</p>
      {table.isError ? (
        <RetryPanel title={t("fans.title")} query={table} />
      ) : !data ? (
        <Skeletons count={3} className="h-24" />
      ) : (
        <>
          <h2 className={`section-title ${style.month}`}>{monthName(data.month)}</h2>
          {data.clubs.length > 0 ? (
            <ClubMonths clubs={data.clubs} />
          ) : (
            <EmptyPanel title={t("fansTable.none")}>
              <LinkButton to={paths.profile}>{t("fanClub.title")}</LinkButton>
            </EmptyPanel>
          )}
        </>
      )}
    </section>
  );
}
