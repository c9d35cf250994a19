import { queryOptions, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import type { WalletAddress } from "../../core/rules/wallet-address.ts";
import { paths } from "../app/paths.ts";
import { DifferenceClock } from "../chain/difference-clock.ts";
import { countTickets, readTickets } from "../chain/read-tickets.ts";
import { differenceOf, type ShownTicket } from "../chain/ticket-differences.ts";
import { useText } from "../i18n/language.tsx";
import { Icon } from "../ui/icon.tsx";

/** Tickets do not change often; the page's own figures are reloaded more often than the chain. */
const FRESH_MS = 30_000;
/** Where something differs that may pass. */
const AGAIN_MS = 3_000;

type Shown = {
  wallet: WalletAddress;
  tickets: readonly ShownTicket[];
  /** How many the server says the wallet has; undefined if there are more than it lists. */
  count: number | undefined;
};

/** `learned`: what the server learned since is compared with what the chain says since. */
const chainTicketsQuery = (wallet: WalletAddress, ids: readonly string[], learned: string) =>
  queryOptions({
    queryKey: ["chain-tickets", wallet, ids, learned],
    queryFn: async () => {
      const [records, count] = await Promise.all([readTickets(ids.map(BigInt)), countTickets(wallet)]);
      return { records, count };
    },
    staleTime: FRESH_MS,
  });

/**
 * Says whether the contracts have the tickets on screen as the server says, and no others, read by the browser, and what
 * of them was compared. docs/product.md#tickets
 */
export default function ChainCheck({ wallet, tickets, count }: Shown) {
  const t = useText();
  const [clock] = useState(() => new DifferenceClock());
  const differencesIn = (records: Awaited<ReturnType<typeof readTickets>>, counted: bigint) => [
    ...tickets.flatMap((ticket, index) => {
      const record = records[index];
      return (record && differenceOf({ ...ticket, wallet }, record)) ?? [];
    }),
    ...(count === undefined || BigInt(count) === counted ? [] : [{ id: COUNT, facts: [], isPassing: true }]),
  ];
  const ids = tickets.map(({ nft }) => nft.tokenId);
  const learned = JSON.stringify([count, tickets.map(({ nft, isPaid }) => [nft.metadata.attributes, isPaid])]);
  const { data, dataUpdatedAt, isError, isPlaceholderData } = useQuery({
    ...chainTicketsQuery(wallet, ids, learned),
    refetchInterval: ({ state: { data: read } }) =>
      read && differencesIn(read.records, read.count).length > 0 ? AGAIN_MS : FRESH_MS,
    placeholderData: (previous) => previous,
  });
  if (isError) return <p className="chain-check muted">{t("check.away")}</p>;
  if (data?.records.length !== tickets.length) return null;
  const found = differencesIn(data.records, data.count);
  if (found.length > 0 && isPlaceholderData) return null;
  const { differs, passes } = clock.judge(found, dataUpdatedAt);
  const ofTickets = differs.filter(({ id }) => id !== COUNT);
  if (differs.length > 0) {
    return (
      <p role="alert" className="chain-check problem">
        {ofTickets.length > 0 &&
          t("check.different", {
            count: ofTickets.length,
            ids: ofTickets
              .map(({ id, facts }) => `${id} (${facts.map((fact) => t(`check.fact.${fact}`)).join(", ")})`)
              .join(", "),
          })}{" "}
        {ofTickets.length < differs.length && t("check.count", { held: Number(data.count), shown: count ?? 0 })}{" "}
        <Link className="link" to={paths.proof}>
          {t("check.proof")}
        </Link>
      </p>
    );
  }
  if (passes) return <p className="chain-check muted">{t("check.reading")}</p>;
  return (
    <p className="chain-check">
      <Icon name="check" />
      <span>{t("check.same", { count: tickets.length, isAll: String(count !== undefined) })}</span>
    </p>
  );
}

/** Stands for the number of tickets among the differences. */
const COUNT = "count";
