import { useQuery } from "@tanstack/react-query";
import { useParams } from "react-router";
import { formatEther, TransactionNotFoundError, TransactionReceiptNotFoundError } from "viem";
import { isTransactionHash } from "../../chain/proof/payouts.ts";
import { shortenAddress } from "../../domain/wallet-address.ts";
import NotFound from "../app/not-found-page.tsx";
import { PageHeading } from "../app/page.tsx";
import { type MessageId, useText } from "../i18n/language.tsx";
import { useFormat } from "../i18n/use-format.ts";
import { Skeletons } from "../ui/skeleton.tsx";
import { RetryPanel } from "../ui/state-panel.tsx";
import { type readTransaction, transactionQuery } from "./transaction-queries.ts";

/** By class: the build shortens the names of classes. Which of the two it is depends on which call ends first. */
function isUnknown(error: Error): boolean {
  return error instanceof TransactionNotFoundError || error instanceof TransactionReceiptNotFoundError;
}

/** A transaction of a chain without a public explorer. */
export default function TransactionPage() {
  const t = useText();
  const { hash = "" } = useParams();
  const found = useQuery(transactionQuery(hash));
  if (!isTransactionHash(hash)) return <NotFound />;
  return (
    <section className="page">
      <PageHeading>{t("tx.title")}</PageHeading>
      <p className="muted">
        <code className="hash">{hash}</code>
      </p>
      {found.isError ? (
        isUnknown(found.error) ? (
          <RetryPanel title={t("tx.unknown")} reason={t("tx.unknown.hint")} query={found} />
        ) : (
          <RetryPanel title={t("tx.away")} query={found} />
        )
      ) : found.data ? (
        <Facts found={found.data} />
      ) : (
        <Skeletons count={1} className="h-64" />
      )}
    </section>
  );
}

type FactsProps = { found: Awaited<ReturnType<typeof readTransaction>> };

function Facts({ found: { transaction, receipt, payouts, at } }: FactsProps) {
  const t = useText();
  const { dateTime, chz, integer } = useFormat();
  const rows: [MessageId, string][] = [
    ["tx.status", t(receipt.status === "success" ? "tx.success" : "tx.reverted")],
    ["tx.block", integer(Number(receipt.blockNumber))],
    ["ticket.date", dateTime(at)],
    ["tx.from", transaction.from],
    ["tx.to", transaction.to ?? "–"],
    ["tx.events", String(receipt.logs.length)],
    ["tx.gas", integer(Number(receipt.gasUsed))],
  ];
  return (
    <>
      {payouts.length > 0 && (
        <ul className="lead">
          {payouts.map(({ amountWei, recipient }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the events of a transaction never change
            <li key={index}>
              {t("tx.payout", { amount: chz(formatEther(amountWei)), wallet: shortenAddress(recipient) })}
            </li>
          ))}
        </ul>
      )}
      <dl className="facts card card-body">
        {rows.map(([label, value]) => (
          <div key={label}>
            <dt>{t(label)}</dt>
            <dd className="figures">{value}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}
