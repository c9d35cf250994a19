import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { lazy } from "react";
import { Link, useParams } from "react-router";
import { formatEther, TransactionNotFoundError, TransactionReceiptNotFoundError } from "viem";
import { isTransactionHash } from "../../core/chain/proof/payouts.ts";
import { shortenAddress, toWalletAddress } from "../../core/rules/wallet-address.ts";
import { PageHeading } from "../app/page.tsx";
import { paths } from "../app/paths.ts";
import { distributors, ticketContracts } from "../chain/contracts.ts";
import { type MessageId, useText } from "../i18n/language.tsx";
import { useFormat } from "../i18n/use-format.ts";
import { Skeletons } from "../ui/skeleton.tsx";
import { RetryPanel } from "../ui/state-panel.tsx";
import style from "./transaction-page.module.css";
import { type readTransaction, transactionQuery } from "./transaction-queries.ts";

/** Few ask for what is not there. */
const NotFound = lazy(() => import("../app/not-found-page.tsx"));

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
    <section className="page grid gap-4">
      <PageHeading>{t("tx.title")}</PageHeading>
      <p className="muted">
        <span className={`${style.hash} figures text-sm`}>{hash}</span>
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
  const { dateTime, chz, exactChz, integer } = useFormat();
  const sent: [MessageId, ReactNode][] =
    transaction.value > 0n ? [["ticket.value", exactChz(formatEther(transaction.value))]] : [];
  const rows: [MessageId, ReactNode][] = [
    ["tx.status", t(receipt.status === "success" ? "tx.success" : "tx.reverted")],
    ["ticket.date", dateTime(at)],
    ["tx.from", <Address key="from" of={transaction.from} />],
    ["tx.to", transaction.to ? <Address key="to" of={transaction.to} /> : "–"],
    ...sent,
    ["tx.block", integer(Number(receipt.blockNumber))],
    ["tx.events", integer(receipt.logs.length)],
    ["tx.gas", integer(Number(receipt.gasUsed))],
  ];
  return (
    <>
      {payouts.length > 0 && (
        <ul className={`${style.payouts} grid gap-3`}>
          {payouts.map(({ amountWei, recipient, purchaseId }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the events of a transaction never change
            <li key={index} className="flex flex-wrap gap-3">
              <strong className="figures">
                {t("tx.payout", { amount: chz(formatEther(amountWei)), wallet: shortenAddress(recipient) })}
              </strong>
              <Link className="link" to={paths.ticket(String(purchaseId))}>
                {t("ticket.page")} {t("ticket.number")} {String(purchaseId)}
              </Link>
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

/** With its name, if it is a contract of ours. */
function Address({ of }: { of: string }) {
  const t = useText();
  const address = toWalletAddress(of);
  const name = distributors().includes(address)
    ? t("proofPage.books")
    : ticketContracts().includes(address)
      ? t("tx.ticketContract")
      : undefined;
  return (
    <>
      {name && <span className="block">{name}</span>}
      <span className={`${style.hash} muted figures text-sm`}>{address}</span>
    </>
  );
}
