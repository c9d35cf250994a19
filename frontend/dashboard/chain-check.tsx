import { useMemo } from "react";
import { Link } from "react-router";
import { useReadContract } from "wagmi";
import { ticketsOf } from "../../core/chain/generated/purchase-nft.ts";
import type { PurchaseNft } from "../../core/rules/api/people.ts";
import { toWalletAddress } from "../../core/rules/wallet-address.ts";
import { nftFacts } from "../api/nft-facts.ts";
import { deployment } from "../app/deployment.ts";
import { paths } from "../app/paths.ts";
import { targetChain } from "../chain/target-chain.ts";
import { ticketDifferences, ticketsBehind } from "../chain/ticket-differences.ts";
import { useText } from "../i18n/language.tsx";
import { Icon } from "../ui/icon.tsx";
import { wagmiConfig } from "../wallet/config.ts";

/** Tickets do not change often; the page's own figures are reloaded more often than the chain. */
const FRESH_MS = 30_000;
/** A node may be behind the server's for so long, asked more often meanwhile. */
const BEHIND_MS = 60_000;
const AGAIN_MS = 3_000;

/** Says whether the contract has the tickets on screen as the server says, read by the browser. docs/product.md#tickets */
export default function ChainCheck({ tickets }: { tickets: readonly PurchaseNft[] }) {
  const t = useText();
  // What the server learned since is compared with what the chain says since.
  const learned = tickets.map((ticket) => nftFacts(ticket).status).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the moment when it changed
  const learnedAt = useMemo(() => Date.now(), [learned]);
  const { data, isError, isPlaceholderData } = useReadContract({
    address: toWalletAddress(deployment.purchase_nft),
    abi: [ticketsOf],
    functionName: "ticketsOf",
    args: [tickets.map(({ tokenId }) => BigInt(tokenId))],
    chainId: targetChain.id,
    config: wagmiConfig,
    scopeKey: learned,
    query: {
      staleTime: FRESH_MS,
      refetchInterval: ({ state }) => (ticketsBehind(tickets, state.data ?? []).length > 0 ? AGAIN_MS : FRESH_MS),
      placeholderData: (previous) => previous,
    },
  });
  if (isError) return <p className="chain-check muted">{t("chainCheck.away")}</p>;
  if (data?.length !== tickets.length) return null;
  const different = ticketDifferences(tickets, data);
  if (different.length > 0 && isPlaceholderData) return null;
  const isBehind = different.length > 0 && ticketsBehind(tickets, data).length === different.length;
  if (isBehind && Date.now() - learnedAt < BEHIND_MS)
    return <p className="chain-check muted">{t("chainCheck.reading")}</p>;
  if (different.length === 0) {
    return (
      <p className="chain-check">
        <Icon name="check" />
        {t("chainCheck.same", { count: tickets.length })}
      </p>
    );
  }
  return (
    <p role="alert" className="chain-check problem">
      {t("chainCheck.different", { count: different.length, ids: different.join(", ") })}{" "}
      <Link className="link" to={paths.proof}>
        {t("chainCheck.proof")}
      </Link>
    </p>
  );
}
