import { hash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { decodeFunctionResult, encodeFunctionData } from "viem";
import { z } from "zod";
import { purchaseNftAbi } from "../../core/chain/generated/purchase-nft.ts";
import { findPurchaseNft } from "../../core/database/nfts.ts";
import { listTickets } from "../../core/purchases/queries.ts";
import { drawnAs, ticketContractOf, toTicket } from "../../core/purchases/view.ts";
import { readDailyRates } from "../../core/rates/daily-rates.ts";
import { answerOf, pageQuerySchema } from "../../core/rules/api/common.ts";
import { publicTicketSchema, purchaseNftSchema } from "../../core/rules/api/people.ts";
import { worthCents } from "../../core/rules/cashback.ts";
import { isoTime } from "../../core/rules/iso-time.ts";
import { chzTextFromGwei, reaisText } from "../../core/rules/money.ts";
import { CHAIN_STATUS, purchaseStatusFromChain } from "../../core/rules/purchase/life.ts";
import { SITUATIONS } from "../../core/rules/purchase/situation.ts";
import type { WalletAddress } from "../../core/rules/wallet-address.ts";
import { notFound } from "../http/api-error.ts";
import { nextBefore, type Route, readId, route, visitorOf } from "../http/route.ts";

import type { Services } from "../services.ts";

const JSON_URI = "data:application/json;base64,";
const SVG_URI = "data:image/svg+xml;base64,";
/** Of characters: hundreds of our own contract's. */
const KEPT_LENGTH = 8 * 1_024 * 1_024;
/** What drawing one may cost: by our own contract, whose descriptor can be replaced. docs/product.md#node-questions */
const DRAWING_GAS = 30_000_000n;
const DRAWING_BYTES = 64 * 1_024;
/** Cache time: a renamed or recoloured store, or a new descriptor, changes pictures. */
const PICTURE_AGE_MS = 60_000;
const PICTURE_AGE_SECONDS = 300;
/** A contract draws the picture: opened as a page, it must not load or run anything. */
const PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; sandbox";

export function nftRoutes(services: Services): Route[] {
  // Whoever asks for one that is being drawn waits for that drawing.
  const pictures = new LRUCache<string, Picture, Drawn>({
    maxSize: KEPT_LENGTH,
    sizeCalculation: ({ svg }) => svg.length,
    ttl: PICTURE_AGE_MS,
    fetchMethod: (_key, _old, { context }) => drawPicture(services, context),
  });
  return [
    route.get("/api/nfts", {
      access: "user",
      cost: { thread: 2, node: 1, stored: 0, mail: 0 },
      summary: "The signed-in user's tickets, newest first",
      query: pageQuerySchema,
      responses: {
        200: answerOf({
          nfts: z.array(purchaseNftSchema),
          /** The id to pass for the next page; null on the last. */
          next_before: z.number().nullable(),
        }),
      },
      async handle({ identity, query }) {
        const tickets = await listTickets(services.database.reader, visitorOf(identity).wallet, query);
        return {
          body: {
            success: true,
            nfts: tickets.map((ticket) => toTicket(services.contracts, ticket)),
            next_before: nextBefore(tickets, query.limit, (ticket) => ticket.token_id),
          },
        };
      },
    }),
    route.get("/api/nfts/:tokenId", {
      access: "anyone",
      cost: { thread: 0.5, node: 0, stored: 0, mail: 0 },
      summary: "A ticket",
      responses: { 200: answerOf({ data: publicTicketSchema }) },
      async handle({ params }) {
        const nft = await findPurchaseNft(services.database.kysely, readId(params.tokenId, "Token"));
        if (!nft) throw notFound("Token");
        const rateOf = await readDailyRates(services.database.kysely, nft.paid_at === null ? [] : [nft.paid_at]);
        return {
          body: {
            success: true,
            data: {
              ...toTicket(services.contracts, nft),
              store_id: Number(nft.store_id),
              status: purchaseStatusFromChain(nft.status),
              status_detail: isReturned(nft) ? "returned" : null,
              minted: { at: isoTime(nft.minted_at), tx: nft.mint_transaction },
              settled: momentOf(nft.status_at, nft.status_transaction),
              burnt: momentOf(nft.burnt_at, nft.burnt_transaction),
              picture_cleared: momentOf(nft.cleared_at, nft.cleared_transaction),
              paid: paymentOf(nft, rateOf),
              is_over:
                nft.payout_transaction !== null ||
                purchaseStatusFromChain(nft.status) === "cancelled" ||
                isReturned(nft) ||
                (nft.situation !== null && SITUATIONS[nft.situation].figure === undefined),
            },
          },
          headers: { "cache-control": "no-cache" },
        };
      },
    }),
    route.get("/api/nfts/:tokenId/image", {
      access: "anyone",
      cost: { thread: 1, node: 0, stored: 0, mail: 0 },
      summary: "The ticket picture drawn by the contract",
      query: z.object({ status: z.string().max(20).optional() }),
      responses: { 200: { type: "image/svg+xml" } },
      async handle({ params, query, origin }) {
        const nft = await findPurchaseNft(services.database.kysely, readId(params.tokenId, "Token"));
        if (!nft) throw notFound("Token");
        const status = drawnAs(nft);
        const context = { ...nft, asker: origin };
        const picture = await pictures.fetch(`${nft.token_id}:${status}`, { context });
        if (picture === undefined) throw notFound("Picture");
        const isLasting = query.status === status;
        return {
          text: picture.svg,
          etag: picture.etag,
          type: "image/svg+xml; charset=utf-8",
          headers: {
            "content-security-policy": PICTURE_POLICY,
            "cache-control": isLasting ? `public, max-age=${PICTURE_AGE_SECONDS}` : "no-cache",
          },
        };
      },
    }),
  ];
}

const isReturned = ({ status }: { status: bigint }) => Number(status) === CHAIN_STATUS.returned;

/** Null if it has not happened. */
const momentOf = (at: bigint | null, tx: string | null) =>
  at === null || tx === null ? null : { at: isoTime(at), tx };

type Ticket = NonNullable<Awaited<ReturnType<typeof findPurchaseNft>>>;

function paymentOf(
  { payout_transaction: tx, paid_at: at, payout_gwei: gwei }: Ticket,
  rateOf: Awaited<ReturnType<typeof readDailyRates>>,
) {
  if (tx === null || at === null || gwei === null) return null;
  const rate = rateOf(at);
  return {
    at: isoTime(at),
    tx,
    amount: chzTextFromGwei(gwei),
    value: rate ? reaisText(worthCents(gwei, rate.weiPerCent)) : null,
    rate_day: rate?.isEarlier ? rate.day : null,
  };
}

type Drawn = { token_id: bigint; contract: WalletAddress | null; asker: string };
type Picture = { svg: string; etag: string };

async function drawPicture(services: Services, { asker, ...ticket }: Drawn): Promise<Picture | undefined> {
  const data = encodeFunctionData({ abi: purchaseNftAbi, functionName: "tokenURI", args: [ticket.token_id] });
  const to = ticketContractOf(services.contracts, ticket);
  const call = { to, data, gas: DRAWING_GAS, mostBytes: DRAWING_BYTES };
  const [shown] = (await services.everyNode.claimed(asker, [call])).shown;
  const svg = shown && pictureOf(decodeFunctionResult({ abi: purchaseNftAbi, functionName: "tokenURI", data: shown }));
  return svg ? { svg, etag: `"${hash("sha256", svg)}"` } : undefined;
}

/** The SVG inside a `tokenURI`; undefined if the metadata is stored elsewhere, or is none: it is one node's word. */
function pictureOf(uri: string): string | undefined {
  if (!uri.startsWith(JSON_URI)) return undefined;
  try {
    const metadata = JSON.parse(Buffer.from(uri.slice(JSON_URI.length), "base64").toString("utf8"));
    const { image } = z.object({ image: z.string().startsWith(SVG_URI) }).parse(metadata);
    return Buffer.from(image.slice(SVG_URI.length), "base64").toString("utf8");
  } catch {
    return undefined;
  }
}
