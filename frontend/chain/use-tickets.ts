import { useCallback, useEffect, useMemo, useState } from "react";
import { zeroAddress } from "viem";
import { useReadContracts } from "wagmi";
import { paidWord } from "../../core/chain/generated/cashback-distributor.ts";
import { balanceOf, burntOf, storeName, ticketsOf } from "../../core/chain/generated/purchase-nft.ts";
import type { PurchaseNft } from "../../core/rules/api/people.ts";
import { CHAIN_STATUS } from "../../core/rules/purchase/life.ts";
import type { WalletAddress } from "../../core/rules/wallet-address.ts";
import { distributor, ticketContracts } from "./contracts.ts";
import type { TicketRecord } from "./ticket-differences.ts";

/** `paidWord` has the bits of 256 purchases. */
const WORD_BITS = 8n;
/** Tickets do not change often; the page's own figures are reloaded more often than the chain. */
const FRESH_MS = 30_000;
/** So long nothing but the chain says what a ticket is. docs/product.md#tickets */
const ANSWER_MS = 1_500;

type Named = Pick<PurchaseNft, "tokenId" | "contract">;

/** What a contract that is not the shop's says of a ticket. */
const NOWHERE: TicketRecord = {
  ...{ contract: "", buyer: zeroAddress, storeId: 0, storeName: "", valueCents: 0, baseBps: 0, bonusBps: 0 },
  ...{ status: CHAIN_STATUS.none, isPaid: false },
};

const keyOf = ({ contract, tokenId }: Named) => `${contract.toLowerCase()} ${tokenId}`;

type Options = {
  isOn?: boolean;
  /** What the server has learned: what it said before is not compared with what the chain says since. */
  learned: string;
};

/**
 * Tickets as the chain has them, each read by wagmi at the contract that is named as its own. `recordOf`: what was read
 * last, undefined until it is. `isRead`: all of them, since the server learned what it says now. `isLate`: the chain has
 * not answered for 1.5 s.
 */
export function useTickets(tickets: readonly Named[], { isOn = true, learned }: Options) {
  const asked = JSON.stringify(tickets.map(keyOf));
  // biome-ignore lint/correctness/useExhaustiveDependencies: `asked` names the tickets
  const { groups, words } = useMemo(() => asksOf(tickets), [asked]);
  const query = { enabled: isOn && groups.length > 0, staleTime: FRESH_MS, refetchInterval: FRESH_MS };
  const read = useReadContracts({
    contracts: groups.map(({ address, ids }) => ({
      ...({ address, abi: [ticketsOf], functionName: "ticketsOf", args: [ids] } as const),
    })),
    allowFailure: false,
    scopeKey: learned,
    query,
  });
  const paid = useReadContracts({
    contracts: words.map((word) => ({
      ...({ address: distributor(), abi: [paidWord], functionName: "paidWord", args: [word] } as const),
    })),
    allowFailure: false,
    scopeKey: learned,
    query,
  });
  const stores = useMemo(() => storesIn(groups, read.data), [groups, read.data]);
  const names = useReadContracts({
    contracts: stores.map(({ address, id }) => ({
      ...({ address, abi: [storeName], functionName: "storeName", args: [id] } as const),
    })),
    allowFailure: false,
    query: { ...query, enabled: query.enabled && stores.length > 0 },
  });
  const storeNames = stores.length === 0 ? NO_NAMES : names.data;
  const fresh = useMemo(() => {
    if (groups.length === 0) return new Map<string, TicketRecord>();
    if (!read.data || !paid.data || !storeNames) return undefined;
    return recordsIn({ groups, read: read.data, words, paid: paid.data, stores, storeNames });
  }, [groups, read.data, words, paid.data, stores, storeNames]);
  const [known, setKnown] = useState(fresh);
  if (fresh && fresh !== known) setKnown(fresh);

  const isError = read.isError || paid.isError || names.isError;
  const recordOf = useCallback(
    (ticket: Named) => (isOurs(ticket) ? (fresh?.get(keyOf(ticket)) ?? known?.get(keyOf(ticket))) : NOWHERE),
    [fresh, known],
  );
  const [readTickets, readPaid, readNames] = [read.refetch, paid.refetch, names.refetch];
  const readAgain = useCallback(
    () => Promise.all([readTickets(), readPaid(), readNames()]),
    [readTickets, readPaid, readNames],
  );
  const isWaiting = isOn && !isError && tickets.some((ticket) => recordOf(ticket) === undefined);
  const isLate = useLate(isWaiting) || isError;
  return {
    recordOf,
    isRead: fresh !== undefined,
    isLate,
    isError,
    error: read.error ?? paid.error ?? names.error,
    readAt: read.dataUpdatedAt,
    readAgain,
  };
}

const NO_NAMES: readonly string[] = [];

const isOurs = ({ contract }: Named) => ticketContracts().some((one) => one === contract.toLowerCase());

type Group = { address: WalletAddress; ids: readonly bigint[] };

/** What is read of which contract, and in which words of the payouts' bits the tickets are. */
function asksOf(tickets: readonly Named[]) {
  const groups = ticketContracts()
    .map((address): Group => {
      const own = tickets.filter(({ contract }) => contract.toLowerCase() === address);
      return { address, ids: own.map(({ tokenId }) => BigInt(tokenId)) };
    })
    .filter(({ ids }) => ids.length > 0);
  return { groups, words: [...new Set(groups.flatMap(({ ids }) => ids.map((id) => id >> WORD_BITS)))] };
}

type Read = readonly (readonly Omit<TicketRecord, "contract" | "storeName" | "isPaid">[])[];
type Store = { address: WalletAddress; id: number };

function storesIn(groups: readonly Group[], read: Read = []): Store[] {
  return groups.flatMap(({ address }, index) => {
    const minted = (read[index] ?? []).filter(({ status }) => status !== CHAIN_STATUS.none);
    return [...new Set(minted.map(({ storeId }) => storeId))].map((id) => ({ address, id }));
  });
}

type Answers = {
  groups: readonly Group[];
  read: Read;
  words: readonly bigint[];
  paid: readonly bigint[];
  stores: readonly Store[];
  storeNames: readonly string[];
};

/** Undefined where the node answers for other tickets than it was asked for. */
function recordsIn({ groups, read, words, paid, stores, storeNames }: Answers): Map<string, TicketRecord> {
  return new Map(
    groups.flatMap(({ address, ids }, group) =>
      ids.flatMap((id, index) => {
        const ticket = read[group]?.[index];
        if (!ticket) return [];
        const store = stores.findIndex((one) => one.address === address && one.id === ticket.storeId);
        const word = paid[words.indexOf(id >> WORD_BITS)] ?? 0n;
        return [
          [
            keyOf({ contract: address, tokenId: String(id) }),
            {
              ...ticket,
              contract: address,
              storeName: storeNames[store] ?? "",
              isPaid: ((word >> (id & 255n)) & 1n) === 1n,
            },
          ] as const,
        ];
      }),
    ),
  );
}

function useLate(isWaiting: boolean): boolean {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    if (!isWaiting) return;
    const timer = setTimeout(() => setLate(true), ANSWER_MS);
    return () => {
      clearTimeout(timer);
      setLate(false);
    };
  }, [isWaiting]);
  return isLate;
}

/**
 * How many tickets were ever minted to a wallet: none is transferred, and the first contract burns none. Undefined until
 * it is known.
 */
export function useTicketCount(wallet: WalletAddress, learned: string) {
  const { data, refetch } = useReadContracts({
    contracts: ticketContracts().flatMap((address) => [
      { address, abi: [balanceOf], functionName: "balanceOf", args: [wallet] } as const,
      { address, abi: [burntOf], functionName: "burntOf", args: [wallet] } as const,
    ]),
    scopeKey: learned,
    query: { staleTime: FRESH_MS, refetchInterval: FRESH_MS },
  });
  const isKnown = data && !data.some(({ status }, index) => index % 2 === 0 && status === "failure");
  const counted = isKnown ? data.reduce((sum, { result }) => sum + (result ?? 0n), 0n) : undefined;
  return { counted, countAgain: refetch };
}
