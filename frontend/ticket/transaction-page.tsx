import { useQuery } from "@tanstack/react-query";
import { useParams } from "react-router";
import { type Hex, TransactionReceiptNotFoundError } from "viem";
import NotFound from "../app/not-found.tsx";
import { PageHeading, usePageMeta } from "../app/page.tsx";
import { readTransaction } from "../chain/read-chain.ts";
import { useText } from "../i18n/language.tsx";
import { useFormat } from "../i18n/use-format.ts";
import { Skeletons } from "../ui/skeleton.tsx";
import { RetryPanel } from "../ui/state-panel.tsx";

/** A transaction of a chain without a public explorer. */
export default function TransactionPage() {
  const t = useText();
  const { dateTime } = useFormat();
  const { hash = "" } = useParams();
  usePageMeta(t("tx.title"), t("tx.title"));
  const isHash = /^0x[0-9a-f]{64}$/i.test(hash);
  const found = useQuery({ queryKey: ["tx", hash], queryFn: () => readTransaction(hash as Hex), enabled: isHash });
  if (!isHash) return <NotFound />;
  const rows: [string, string][] = found.data
    ? [
        ["tx.status", t(found.data.receipt.status === "success" ? "tx.success" : "tx.reverted")],
        ["tx.block", String(found.data.receipt.blockNumber)],
        ["ticket.date", dateTime(found.data.at)],
        ["tx.from", found.data.transaction.from],
        ["tx.to", found.data.transaction.to ?? "–"],
        ["tx.events", String(found.data.receipt.logs.length)],
        ["tx.gas", String(found.data.receipt.gasUsed)],
      ].map(([id, value]) => [t(id as "tx.status"), value as string])
    : [];
  return (
    <section className="page">
      <PageHeading>{t("tx.title")}</PageHeading>
      <p className="muted">
        <code className="hash">{hash}</code>
      </p>
      {found.isError ? (
        found.error.name === TransactionReceiptNotFoundError.name ? (
          <RetryPanel title={t("tx.unknown")} reason={t("tx.unknown.hint")} query={found} />
        ) : (
          <RetryPanel title={t("tx.away")} query={found} />
        )
      ) : found.data ? (
        <dl className="facts card card-body">
          {rows.map(([label, value]) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd className="figures">{value}</dd>
            </div>
          ))}
        </dl>
      ) : (
        <Skeletons count={1} className="h-64" />
      )}
    </section>
  );
}
