import { useQuery } from "@tanstack/react-query";
import { type FormEvent, lazy, Suspense, useState } from "react";
import { Link, useSearchParams } from "react-router";
import { formatDecimal, percentText, reaisText } from "../../core/rules/money.ts";
import { CHZ_DECIMALS } from "../../core/rules/product.ts";
import { type ProvenTicket, proofTotals } from "../../core/rules/proof.ts";
import { CHAIN_STATUS } from "../../core/rules/purchase/life.ts";
import { isAddressShaped } from "../../core/rules/wallet-address.ts";
import { reasonOf } from "../api/reason-of.ts";
import { PageHeading } from "../app/page.tsx";
import { paths } from "../app/paths.ts";
import { useText } from "../i18n/language.tsx";
import { useFormat } from "../i18n/use-format.ts";
import { useSession } from "../session/session.tsx";
import { Card } from "../ui/card.tsx";
import ledgerStyle from "../ui/ledger.module.css";
import { Skeletons } from "../ui/skeleton.tsx";
import { RetryPanel } from "../ui/state-panel.tsx";
import { Steps } from "../ui/steps.tsx";
import { Verdict } from "../ui/verdict.tsx";
import { useWallet } from "../wallet/use-wallet.ts";
import style from "./proof-page.module.css";
import type { DistributorBooks, ProvenPurchase } from "./prove-wallet.ts";
import { booksQuery, proofQuery } from "./queries.ts";

const Difference = lazy(() => import("../ui/payout-difference.tsx"));

const STEPS = ["read", "sum", "compare"] as const;

/** Every purchase of a wallet, recomputed in the browser from a public node. */
export default function ProofPage() {
  const t = useText();
  const [parameters, setParameters] = useSearchParams();
  const wallet = parameters.get("wallet")?.toLowerCase() ?? "";
  const { address = "" } = useWallet();
  const { profile } = useSession();
  const [input, setTyped] = useState(wallet || undefined);
  const typed = input ?? profile?.wallet ?? address;
  const [progress, setProgress] = useState(0);
  const isWallet = isAddressShaped(wallet);
  const isWrong = wallet !== "" && !isWallet;
  const proof = useQuery(proofQuery(wallet, setProgress));
  function submit(event: FormEvent) {
    event.preventDefault();
    setProgress(0);
    setParameters({ wallet: typed.trim() }, { replace: true });
  }
  return (
    <section className={`page grid gap-4 ${style.page}`}>
      <PageHeading>{t("proofPage.title")}</PageHeading>
      <p className="lead">{t("proofPage.text")}</p>
      <form className={style.form} noValidate onSubmit={submit}>
        <label className="field">
          <span>{t("proofPage.wallet")}</span>
          <input
            value={typed}
            placeholder="0x…"
            autoCapitalize="none"
            spellCheck={false}
            aria-invalid={isWrong}
            aria-describedby={isWrong ? "not-wallet" : undefined}
            onChange={(event) => setTyped(event.target.value)}
          />
        </label>
        <button type="submit" className="button">
          {t("proofPage.check")}
        </button>
      </form>
      {isWrong && (
        <p id="not-wallet" role="alert" className="problem">
          {t("proofPage.notWallet")}
        </p>
      )}
      {proof.isFetching && (
        <label className={style.progress}>
          {t("proofPage.reading")}
          <progress value={progress} max={1} />
        </label>
      )}
      {proof.isError && !proof.isFetching && <RetryPanel title={t("proofPage.away")} query={proof} />}
      {proof.data && <Rows proven={proof.data} />}
      {!isWallet && <How />}
      <Books />
    </section>
  );
}

function How() {
  const t = useText();
  return (
    <section aria-labelledby="how">
      <h2 id="how" className="section-title">
        {t("proofPage.how")}
      </h2>
      <Steps
        steps={STEPS.map((step) => ({
          title: t(`proofPage.how.${step}.title`),
          text: t(`proofPage.how.${step}.text`),
        }))}
      />
    </section>
  );
}

/** The most serious outcome decides what is said of all. */
function Rows({ proven }: { proven: readonly ProvenPurchase[] }) {
  const t = useText();
  const { exactChz } = useFormat();
  const {
    purchases: count,
    paidWei,
    less,
    more,
    missing,
  } = proofTotals(
    proven.map(({ ticket }) => ticket),
    proven.map(({ outcome }) => outcome),
  );
  const verdict = more > 0 ? "differs" : less > 0 ? "less" : "holds";
  const shown = proven.filter(({ ticket }) => ticket.status !== CHAIN_STATUS.cancelled || ticket.payouts.length > 0);
  return (
    <>
      <Verdict role="status" kind={count === 0 ? "open" : verdict === "differs" ? "wrong" : verdict}>
        {t(`proofPage.${verdict}`, { less, count, paid: exactChz(formatDecimal(paidWei, CHZ_DECIMALS)) })}
        {missing > 0 && ` ${t("proofPage.due", { missing })}`}
      </Verdict>
      {shown.length > 0 && <Purchases purchases={shown} />}
    </>
  );
}

function Purchases({ purchases }: { purchases: readonly ProvenPurchase[] }) {
  const t = useText();
  const { brl, percent, exactChz } = useFormat();
  const wei = (amount: bigint) => exactChz(formatDecimal(amount, CHZ_DECIMALS));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
    <section className={`table-wrap ${style.rows}`} tabIndex={0} aria-label={t("proofPage.title")}>
      <table>
        <thead>
          <tr>
            {(["number", "value", "cashback"] as const).map((one) => (
              <th key={one} scope="col">
                {t(`ticket.${one}`)}
              </th>
            ))}
            <th scope="col">{t("proof.rate")}</th>
            <th scope="col">{t("proof.paid")}</th>
            <th scope="col">{t("proofPage.ours")}</th>
          </tr>
        </thead>
        <tbody>
          {purchases.map(({ ticket, outcome, agrees }) => (
            <tr key={String(ticket.id)}>
              <th scope="row">
                <Link className="link" to={paths.ticket(String(ticket.id))} data-label={t("ticket.number")}>
                  {String(ticket.id)}
                </Link>
                <Marks ticket={ticket} />
              </th>
              <td className="figures" data-label={t("ticket.value")}>
                {brl(reaisText(ticket.valueCents))}
              </td>
              <td className="figures" data-label={t("ticket.cashback")}>
                {percent(percentText(ticket.totalBps))}
              </td>
              <td className="figures" data-label={t("proof.rate")}>
                {rateOf(ticket) === undefined ? "–" : wei((rateOf(ticket) ?? 0n) * 100n)}
              </td>
              <td className={ticket.payouts.length > 0 ? "figures" : undefined} data-label={t("proof.paid")}>
                {ticket.payouts.length === 0
                  ? t(outcome.kind === "kept" || isReturned(ticket) ? "proof.over" : "proof.open")
                  : ticket.payouts.map(({ amountWei }) => wei(amountWei)).join(" + ")}
                {(outcome.kind === "less" || outcome.kind === "kept") && (
                  <Suspense>
                    <Difference outcome={outcome} />
                  </Suspense>
                )}
              </td>
              <td data-label={t("proofPage.ours")}>
                {t(agrees === undefined ? "proofPage.unknown" : agrees ? "proofPage.same" : "proofPage.other")}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** What became of a ticket besides its payment. */
function Marks({ ticket }: { ticket: ProvenTicket }) {
  const t = useText();
  const marks = [isReturned(ticket) ? t("status.returned") : [], ticket.isBurnt ? t("status.burnt") : []].flat();
  return marks.length > 0 && <span className="muted"> {marks.join(" · ")}</span>;
}

const isReturned = ({ status }: ProvenTicket) => status === CHAIN_STATUS.returned;

const rateOf = ({ payouts: [payout] }: ProvenTicket) => payout?.weiPerCent;

/** The distributor's deposits, cashback paid, and the remainder. */
function Books() {
  const t = useText();
  const books = useQuery(booksQuery);
  return (
    <Card title={t("proofPage.books")}>
      {books.isError ? (
        <div role="alert" className="problem">
          <p>{reasonOf(books.error, t)}</p>
          <button
            type="button"
            className="button button-small"
            disabled={books.isFetching}
            onClick={() => books.refetch()}
          >
            {t("common.retry")}
          </button>
        </div>
      ) : books.data ? (
        <Ledger books={books.data} />
      ) : (
        <Skeletons count={1} className="h-24" />
      )}
    </Card>
  );
}

function Ledger({ books }: { books: DistributorBooks }) {
  const t = useText();
  const { chz } = useFormat();
  const wei = (amount: bigint) => chz(formatDecimal(amount, CHZ_DECIMALS));
  const { flows, balanceWei, availableWei } = books;
  const rows = [
    ...(flows
      ? ([
          ["funded", flows.fundedWei],
          ["paid", -flows.paidWei],
        ] as const)
      : []),
    ...(flows && flows.withdrawnWei > 0n ? ([["withdrawn", -flows.withdrawnWei]] as const) : []),
    ["balance", balanceWei],
    ["owed", balanceWei - availableWei],
    ["left", availableWei],
  ] as const;
  return (
    <>
      <dl className={ledgerStyle.ledger}>
        {rows.map(([name, amount]) => (
          <div key={name} data-name={name}>
            <dt>{t(`proofPage.books.${name}`)}</dt>
            <dd className="figures">{amount < 0n ? `−\u00a0${wei(-amount)}` : wei(amount)}</dd>
          </div>
        ))}
      </dl>
      {flows && <Closing flows={flows} balanceWei={balanceWei} />}
    </>
  );
}

/** Payouts are summed in whole gwei: a million of them lose less than this. */
const ROUNDING_WEI = 10n ** 15n;

function Closing({ flows, balanceWei }: { flows: NonNullable<DistributorBooks["flows"]>; balanceWei: bigint }) {
  const t = useText();
  const { chz } = useFormat();
  const difference = flows.fundedWei - flows.paidWei - flows.withdrawnWei - balanceWei;
  const size = difference < 0n ? -difference : difference;
  return size <= ROUNDING_WEI ? (
    <Verdict kind="holds">{t("proofPage.books.closes")}</Verdict>
  ) : (
    <Verdict kind="open">{t("proofPage.books.open", { amount: chz(formatDecimal(size, CHZ_DECIMALS)) })}</Verdict>
  );
}
