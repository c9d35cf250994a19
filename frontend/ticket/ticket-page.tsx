import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { useParams } from "react-router";
import { percentText, reaisText } from "../../core/rules/money.ts";
import { shortenAddress } from "../../core/rules/wallet-address.ts";
import { ApiError } from "../api/http.ts";
import { type NftFacts, nftFacts } from "../api/nft-facts.ts";
import { ticketQuery } from "../api/queries.ts";
import type { PublicTicket } from "../api/shapes.ts";
import { PageHeading, usePageMeta } from "../app/page.tsx";
import { paths, TICKET_ID } from "../app/paths.ts";
import { useText, withLaterTexts } from "../i18n/language.tsx";
import { useFormat } from "../i18n/use-format.ts";
import { Card } from "../ui/card.tsx";
import { ExplorerLink } from "../ui/explorer-link.tsx";
import { LinkButton } from "../ui/link-button.tsx";
import { ShareTicket } from "../ui/share-ticket.tsx";
import { Skeletons } from "../ui/skeleton.tsx";
import { RetryPanel } from "../ui/state-panel.tsx";
import { Stamp } from "../ui/ticket.tsx";
import { ticketImage } from "../ui/ticket-image.ts";
import timelineStyle from "../ui/timeline.module.css";
import { useSeen } from "../ui/use-seen.ts";
import { Worth } from "../ui/worth.tsx";
import style from "./ticket-page.module.css";

/** Few ask for what is not there. */
const NotFound = lazy(() => import("../app/not-found-page.tsx"));

/** Loaded with the proof, because the ticket is shown without any code that reads the chain. */
const TicketProof = lazy(() => withLaterTexts(() => import("./ticket-proof.tsx"), "check"));

/** Loaded where it is needed: it has every letter's width. */
const DrawnHere = lazy(() => import("./drawn-here.tsx"));

/** The public view of a ticket: its history, and its proof from the chain. */
export default function TicketPage() {
  const t = useText();
  const { tokenId = "" } = useParams();
  const isId = TICKET_ID.test(tokenId);
  const ticket = useQuery({ ...ticketQuery(tokenId), enabled: isId });
  usePageMeta(t("ticketPage.title", { id: tokenId }), t("ticketPage.description"));
  if (!isId || (ticket.error instanceof ApiError && ticket.error.status === 404)) return <NotFound what="ticket" />;
  if (ticket.isError) {
    return (
      <div className="page">
        <RetryPanel title={t("ticketPage.unavailable")} query={ticket} />
      </div>
    );
  }
  return (
    <Frame
      title={t("ticketPage.title", { id: tokenId })}
      description={t("ticketPage.description")}
      picture={ticketImage(tokenId)}
      ticket={ticket.data}
    />
  );
}

type FrameProps = { title: string; description: string; picture: string; ticket?: PublicTicket | undefined };

/** The page, also until its ticket is here; the build paints it so (`prerender.tsx`). `picture`: the contract's drawing. */
export function Frame({ title, description, picture, ticket }: FrameProps) {
  const facts = ticket && nftFacts(ticket);
  return (
    <section className="page grid gap-4">
      <div>
        <PageHeading>{title}</PageHeading>
        <p className="lead">{description}</p>
      </div>
      <div className={style.columns}>
        <div className="grid gap-4">
          <div className={style.hero}>
            <Art picture={picture} ticket={ticket} facts={facts} />
            {facts ? (
              <>
                <h2>{facts.store}</h2>
                <HeroFacts ticket={ticket} facts={facts} />
              </>
            ) : (
              <div className="page-loading">
                <Skeletons count={1} className="h-24" />
              </div>
            )}
          </div>
          {facts && <ShareTicket tokenId={ticket.tokenId} store={facts.store} paid={ticket.paid?.amount} />}
        </div>
        {facts && <Life ticket={ticket} status={facts.status} />}
        {facts && <Proof ticket={ticket} buyer={facts.buyer.toLowerCase()} />}
      </div>
    </section>
  );
}

type OfTicket = { ticket: PublicTicket; facts: NftFacts };

/** How long the page waits for the contract before it draws the ticket itself. */
const LATE_MS = 1_000;

type ArtProps = { picture: string; ticket: PublicTicket | undefined; facts: NftFacts | undefined };

/** As the contract draws it; while that is late, or where it cannot be had, drawn here as the contract would. */
function Art({ picture, ticket, facts }: ArtProps) {
  const [state, setState] = useState<"waiting" | "late" | "shown" | "broken">("waiting");
  useEffect(() => {
    const timer = setTimeout(() => setState((now) => (now === "waiting" ? "late" : now)), LATE_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className={style.art}>
      {ticket && facts && (state === "late" || state === "broken") && (
        <Suspense>
          <DrawnHere ticket={ticket} facts={facts} />
        </Suspense>
      )}
      {state !== "broken" && (
        <img
          src={picture}
          alt=""
          fetchPriority="high"
          width="600"
          height="600"
          onLoad={() => setState("shown")}
          onError={() => setState("broken")}
        />
      )}
    </div>
  );
}

/** What the picture shows, for those who do not see it, and in their language. */
function HeroFacts({ ticket, facts }: OfTicket) {
  const t = useText();
  const { brl, percent, chz } = useFormat();
  return (
    <dl className={style.facts}>
      <div>
        <dt>{t("ticket.cashback")}</dt>
        <dd className="figures">
          {facts.cashbackBps === undefined ? facts.percentText : percent(percentText(facts.cashbackBps))}
          {ticket.paid && <strong>{chz(ticket.paid.amount)}</strong>}
        </dd>
      </div>
      <div>
        <dt>{t("ticket.value")}</dt>
        <dd className="figures">
          {facts.valueCents === undefined ? facts.valueText : brl(reaisText(facts.valueCents))}
        </dd>
      </div>
      <div>
        <dt>{t("ticket.wallet")}</dt>
        <dd className="figures">{shortenAddress(facts.buyer.toLowerCase())}</dd>
      </div>
      <div>
        <dt className="sr-only">{t("statement.status")}</dt>
        <dd>
          <Stamp kind={facts.status}>{t(`status.${facts.status}`)}</Stamp>
        </dd>
      </div>
    </dl>
  );
}

/** When the ticket was minted, settled and paid, each with its transaction. */
function Life({ ticket, status }: { ticket: PublicTicket; status: NftFacts["status"] }) {
  const t = useText();
  const { chz, dateTime } = useFormat();
  const paid = ticket.is_over && !ticket.paid ? [] : [["paid", ticket.paid] as const];
  const life = [
    ["minted", ticket.minted],
    ...(status === "returned"
      ? [...paid, ["returned", ticket.settled] as const]
      : [[status === "cancelled" ? "cancelled" : "confirmed", ticket.settled] as const, ...paid]),
    ...(ticket.picture_cleared ? [["pictureCleared", ticket.picture_cleared] as const] : []),
    ...(ticket.burnt ? [["burnt", ticket.burnt] as const] : []),
  ] as const;
  return (
    <Card title={t("timeline.title")}>
      <ol className={timelineStyle.timeline}>
        {life.map(([step, moment]) => (
          <li key={step} data-state={moment ? "done" : "ahead"}>
            <span className={timelineStyle.mark} aria-hidden="true" />
            <span>
              {step === "burnt" ? t("status.burnt") : t(`ticketPage.${step}`)}
              <span className="sr-only"> {t(moment ? "timeline.done" : "timeline.ahead")}</span>
            </span>
            {moment && (
              <>
                <time dateTime={moment.at}>{dateTime(moment.at)}</time>
                <span className={style.transaction}>
                  <ExplorerLink hash={moment.tx}>
                    {t("ticketPage.transaction")}
                    <span className="sr-only">
                      {" – "}
                      {step === "burnt" ? t("status.burnt") : t(`ticketPage.${step}`)}
                    </span>
                  </ExplorerLink>
                </span>
              </>
            )}
          </li>
        ))}
      </ol>
      {ticket.paid ? (
        <p className="mt-3">
          {t("ticketPage.paidAmount", { amount: chz(ticket.paid.amount) })}{" "}
          <Worth
            amount={ticket.paid.amount}
            value={ticket.paid.value ?? null}
            rateDay={ticket.paid.rate_day ?? null}
            isInline
          />
        </p>
      ) : (
        ticket.is_over && <p className="mt-3">{t("ticketPage.over")}</p>
      )}
    </Card>
  );
}

/** Value × percent × rate = paid, once: read from the chain in the browser, never from our server. */
function Proof({ ticket, buyer }: { ticket: PublicTicket; buyer: string }) {
  const t = useText();
  const ref = useRef<HTMLElement>(null);
  const isSeen = useSeen(ref);
  return (
    <Card ref={ref} title={t("proof.title")}>
      <p className="muted mb-3">{t("proof.text")}</p>
      <Suspense fallback={<Skeletons count={1} className="h-24" />}>
        {isSeen ? <TicketProof ticket={ticket} /> : <Skeletons count={1} className="h-24" />}
      </Suspense>
      <p className="mt-3">
        <LinkButton className="button button-small button-quiet" to={paths.proofOf(buyer)}>
          {t("ticketPage.toProofOf")}
        </LinkButton>
      </p>
    </Card>
  );
}
