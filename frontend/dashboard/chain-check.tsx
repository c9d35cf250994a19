import { useEffect, useState } from "react";
import { Link } from "react-router";
import type { WalletAddress } from "../../core/rules/wallet-address.ts";
import { paths } from "../app/paths.ts";
import { DifferenceClock } from "../chain/difference-clock.ts";
import { differenceOf, type ShownTicket } from "../chain/ticket-differences.ts";
import { useTicketCount, type useTickets } from "../chain/use-tickets.ts";
import { useText } from "../i18n/language.tsx";
import { Icon } from "../ui/icon.tsx";
import style from "./chain-check.module.css";

/** Where something differs that may pass. */
const AGAIN_MS = 3_000;

type Props = {
  wallet: WalletAddress;
  /** As the server says them. */
  shown: readonly ShownTicket[];
  /** How many the server says the wallet has; undefined if there are more than it lists. */
  count: number | undefined;
  /** What the server has learned, for `read` and here. */
  learned: string;
  read: ReturnType<typeof useTickets>;
};

/**
 * Says whether the contracts have the tickets on screen as the server says, and no others, and what of them was compared.
 * docs/product.md#tickets
 */
export default function ChainCheck({ wallet, shown, count, learned, read }: Props) {
  const t = useText();
  const [clock] = useState(() => new DifferenceClock());
  const { counted, countAgain } = useTicketCount(wallet, learned);
  const { recordOf, isRead, isError, readAt, readAgain } = read;
  const found = [
    ...shown.flatMap((ticket) => {
      const record = recordOf(ticket.nft);
      return (record && differenceOf({ ...ticket, wallet }, record)) ?? [];
    }),
    ...(count === undefined || BigInt(count) === counted ? [] : [{ id: COUNT, facts: [], isPassing: true }]),
  ];
  const isWhole = isRead && counted !== undefined;
  const isDiffering = isWhole && found.length > 0;
  useEffect(() => {
    if (!isDiffering) return;
    const timer = setInterval(() => Promise.all([readAgain(), countAgain()]), AGAIN_MS);
    return () => clearInterval(timer);
  }, [isDiffering, readAgain, countAgain]);
  if (isError) return <p className={`muted ${style.check}`}>{t("check.away")}</p>;
  if (!isWhole) return null;
  const { differs, passes } = clock.judge(found, readAt);
  const ofTickets = differs.filter(({ id }) => id !== COUNT);
  if (differs.length > 0) {
    return (
      <p role="alert" className={`problem ${style.check}`}>
        {ofTickets.length > 0 &&
          t("check.different", {
            count: ofTickets.length,
            ids: ofTickets
              .map(({ id, facts }) => `${id} (${facts.map((fact) => t(`check.fact.${fact}`)).join(", ")})`)
              .join(", "),
          })}{" "}
        {ofTickets.length < differs.length && t("check.count", { held: Number(counted), shown: count ?? 0 })}{" "}
        <Link className="link" to={paths.proof}>
          {t("check.proof")}
        </Link>
      </p>
    );
  }
  if (passes) return <p className={`muted ${style.check}`}>{t("check.reading")}</p>;
  return (
    <p className={style.check}>
      <Icon name="check" />
      <span>{t("check.same", { count: shown.length, isAll: String(count !== undefined) })}</span>
    </p>
  );
}

/** Stands for the number of tickets among the differences. */
const COUNT = "count";
