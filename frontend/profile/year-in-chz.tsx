import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { getPaymentsCsv } from "../api/calls.ts";
import { reasonOf } from "../api/reason-of.ts";
import { paths } from "../app/paths.ts";
import { useLanguage, useText } from "../i18n/language.tsx";
import { useFormat } from "../i18n/use-format.ts";
import { Card } from "../ui/card.tsx";
import style from "../ui/ledger.module.css";
import { SelectField } from "../ui/select-field.tsx";
import { Skeletons } from "../ui/skeleton.tsx";
import { RetryPanel } from "../ui/state-panel.tsx";
import { toast } from "../ui/toast.ts";
import { paymentsQuery } from "./queries.ts";

/** What the wallet was paid in a year, in CHZ and reais, and each payment as a file. docs/product.md#worth */
export default function YearInChz({ wallet }: { wallet: string }) {
  const t = useText();
  const { language } = useLanguage();
  const { brl, chz } = useFormat();
  const [chosen, setYear] = useState<number>();
  const query = useQuery(paymentsQuery(wallet, chosen));
  const save = useMutation({
    mutationFn: async (year: number) => {
      const { download } = await import("../ui/download.ts");
      download(`torcida-${year}.csv`, "text/csv", await getPaymentsCsv(year, language));
    },
    onError: (error) => toast.error(t("statement.csv.failed"), { id: "csv", description: reasonOf(error, t) }),
  });
  const { data } = query;
  if (query.isError) return <RetryPanel title={t("year.failed")} query={query} />;
  if (!data) return <Skeletons count={1} className="h-64" />;
  const { year, years, count, amount, value, without_rate, earlier_rate, value_today } = data;
  return (
    <Card title={t("year.title")}>
      <p className="muted">
        {t("year.text")}{" "}
        <Link className="link" to={paths.help("using-chz")}>
          {t("help.using-chz")}
        </Link>
      </p>
      <SelectField
        label={t("year.year")}
        value={String(year)}
        options={years.map((one) => [String(one), String(one)])}
        choose={(one) => setYear(Number(one))}
      />
      {count === 0 ? (
        <p role="status">{t("year.none", { year: String(year) })}</p>
      ) : (
        <>
          <dl className={`${style.ledger} figures`}>
            <div>
              <dt>{t("year.paid", { count })}</dt>
              <dd>{chz(amount)}</dd>
            </div>
            <div>
              <dt>{t("year.then")}</dt>
              <dd>{without_rate === count ? t("year.noRate") : brl(value)}</dd>
            </div>
            <div>
              <dt>{t("year.today")}</dt>
              <dd>{value_today === null ? t("year.noRate") : brl(value_today)}</dd>
            </div>
          </dl>
          {earlier_rate > 0 && <p className="muted">{t("year.earlier", { count: earlier_rate })}</p>}
          {without_rate > 0 && <p className="muted">{t("year.missing", { count: without_rate })}</p>}
          <p>
            <button
              type="button"
              className="button button-quiet"
              disabled={save.isPending}
              onClick={() => save.mutate(year)}
            >
              {t(save.isPending ? "statement.csv.working" : "year.csv")}
            </button>
          </p>
        </>
      )}
    </Card>
  );
}
