import { skipToken, useQuery } from "@tanstack/react-query";
import { useParams } from "react-router";
import { TransactionReceiptNotFoundError } from "viem";
import NotFound from "../app/not-found.tsx";
import { PageHeading, usePageMeta } from "../app/page.tsx";
import { isTransactionHash, readTransaction } from "../chain/read-chain.ts";
import { type MessageId, useText } from "../i18n/language.tsx";
import { useFormat } from "../i18n/use-format.ts";
import { Skeletons } from "../ui/skeleton.tsx";
import { RetryPanel } from "../ui/state-panel.tsx";

/** A transaction of a chain without a public explorer. */
export default function TransactionPage() {
  const t = useText();
  const { dateTime } = useFormat();
  const { hash = "" } = useParams();
  usePageMeta(t("tx.title"), t("tx.title"));
  const found = useQuery({
    queryKey: ["tx", hash],
    queryFn: isTransactionHash(hash) ? () => readTransaction(hash) : skipToken,
  });
  if (!isTransactionHash(hash)) return <NotFound />;
  const rows: [MessageId, string][] = found.data
    ? [
        ["tx.status", t(found.data.receipt.status === "success" ? "tx.success" : "tx.reverted")],
        ["tx.block", String(found.data.receipt.blockNumber)],
        ["ticket.date", dateTime(found.data.at)],
        ["tx.from", found.data.transaction.from],
        ["tx.to", found.data.transaction.to ?? "–"],
        ["tx.events", String(found.data.receipt.logs.length)],
        ["tx.gas", String(found.data.receipt.gasUsed)],
      ]
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
              <dt>{t(label)}</dt>
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
