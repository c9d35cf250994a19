import { useQuery } from "@tanstack/react-query";
import { useFormat } from "../../i18n/use-format.ts";
import { Skeletons } from "../../ui/skeleton.tsx";
import { RetryPanel } from "../../ui/state-panel.tsx";
import style from "../list/admin-list.module.css";
import { type Column, PlainTable } from "../plain-table.tsx";
import type { Conversion } from "../shapes.ts";
import { t } from "../texts.ts";
import { monthName } from "../words.ts";
import { conversionQuery } from "./queries.ts";

/** From the visit to the sale, by month. docs/product.md#panel-conversion */
export function StoreConversion({ storeId }: { storeId: string }) {
  const months = useQuery(conversionQuery(storeId));
  return (
    <section aria-labelledby="store-conversion">
      <h3 id="store-conversion" className="card-title">
        {t("conversion.title")}
      </h3>
      {months.data ? (
        <Months months={months.data} />
      ) : months.isPending ? (
        <Skeletons count={1} className="h-14" />
      ) : (
        <RetryPanel title={t("conversion.failed")} query={months} />
      )}
    </section>
  );
}

type Month = Conversion & { month: string };

function Months({ months }: { months: readonly Month[] }) {
  const { integer } = useFormat();
  const rate = useConversionRate();
  if (months.length === 0) return <p className="muted">{t("conversion.none")}</p>;
  const columns: readonly Column<Month>[] = [
    { header: t("conversion.visits"), isFigure: true, cell: ({ clicks }) => integer(clicks) },
    { header: t("view.sales"), isFigure: true, cell: ({ sales }) => integer(sales) },
    { header: t("conversion.rate"), isFigure: true, cell: rate },
  ];
  return (
    <PlainTable
      caption={t("conversion.caption")}
      noun={t("noun.month")}
      rows={months}
      keyOf={({ month }) => month}
      nameOf={({ month }) => monthName(month)}
      columns={columns}
    />
  );
}

/** Visits, sales and conversion in a line, such as "120 visitas · 9 vendas · conversão de 7,5%". */
export function ConversionLine({ conversion }: { conversion: Conversion }) {
  const rate = useConversionRate();
  const { clicks, sales } = conversion;
  return (
    <p className={`${style.note} figures`}>
      {clicks === 0 && sales === 0
        ? t("conversion.noVisit")
        : t("conversion.line", { clicks, sales, rate: rate(conversion) })}
    </p>
  );
}

/** Sales in a hundred visits; a dash without visits. */
function useConversionRate(): (conversion: Conversion) => string {
  const { percent } = useFormat();
  return ({ clicks, sales }) => (clicks === 0 ? "–" : percent(Math.round((sales / clicks) * 1_000) / 10));
}
