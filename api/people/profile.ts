import { type FanTokenRow, listFanTokens } from "../../catalogue/fan-tokens.ts";
import type { HeldToken, Me } from "../../domain/api/people.ts";
import { chzTextFromWei, formatDecimal } from "../../domain/money.ts";
import { PROFILE_LIMIT } from "../../domain/product.ts";
import { listPurchases, listTickets } from "../../purchases/queries.ts";
import { readBuyerTotals, sumPaidAbove } from "../../purchases/totals.ts";
import { purchaseViewAt, toPurchaseRecord, toTicket, toTotals } from "../../purchases/view.ts";
import type { Balances } from "../chain/balances.ts";
import { type Services, viewOptions } from "../services.ts";
import type { Visitor } from "./sessions.ts";

/**
 * The response of `GET /api/me`: profile, holdings, totals, and the newest tickets and purchases. `changesAt` is the
 * next indexed block at which a payout of this buyer becomes final, which changes the response.
 */
export async function buildProfile(
  services: Services,
  visitor: Visitor,
): Promise<{ me: Me; changesAt: bigint | undefined }> {
  const { kysely } = services.database;
  const { wallet } = visitor;
  const readHoldings = async () => {
    const fanTokens = await listFanTokens(kysely);
    const version = `${visitor.indexed?.hash}:${visitor.revision}`;
    return { fanTokens, balances: await services.balances.read(wallet, version, fanTokens) };
  };
  const view = purchaseViewAt(visitor.indexed?.block, viewOptions(services));
  const [{ fanTokens, balances }, unshown, purchases, tickets, totals] = await Promise.all([
    readHoldings(),
    sumPaidAbove(kysely, wallet, view.shownUpTo),
    listPurchases(kysely, wallet, { limit: PROFILE_LIMIT }),
    listTickets(kysely, wallet, { limit: PROFILE_LIMIT }),
    readBuyerTotals(kysely, wallet),
  ]);
  const me = {
    wallet: visitor.wallet,
    email: visitor.email,
    first_name: visitor.firstName,
    last_name: visitor.lastName,
    nativeBalance: chzTextFromWei(balances.nativeWei),
    tokens: fanTokens.map((token) => toHeldToken(token, balances)),
    nfts: tickets.map((ticket) => toTicket(services.contracts.purchaseNft, ticket)),
    purchases: purchases.map((purchase) => toPurchaseRecord(purchase, view)),
    totals: toTotals(totals, { rate: view.rate, notShown: unshown.gwei }),
  };
  const { firstBlock } = unshown;
  return {
    me,
    changesAt: firstBlock === null ? undefined : firstBlock + BigInt(services.environment.CONFIRMATIONS) - 1n,
  };
}

function toHeldToken({ symbol, contract }: Pick<FanTokenRow, "symbol" | "contract">, balances: Balances): HeldToken {
  const { units, decimals } = (contract && balances.tokens.get(contract)) || { units: 0n, decimals: 0 };
  return { symbol, balance: formatDecimal(units, decimals), decimals, contract: contract ?? "" };
}
