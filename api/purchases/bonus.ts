import { type FanTokenRow, findFanTokenBySlug } from "../../core/catalogue/fan-tokens.ts";
import type { StoreWithCategories } from "../../core/catalogue/stores.ts";
import { indexedBlock } from "../../core/database/chain-cursor.ts";
import { type Agreed, NoAgreementError } from "../../core/process/rpc/every-node.ts";
import { type BonusParameters, type BonusProgram, bonus, type TokenBalance } from "../../core/rules/bonus.ts";
import type { BonusRead } from "../../core/rules/bonus-read.ts";
import type { WalletAddress } from "../../core/rules/wallet-address.ts";
import { invalid } from "../http/api-error.ts";
import type { Services } from "../services.ts";

/** A bonus as far as it is known at the click; `open` is what is read later, without its bounds by the percents. */
export type BonusTerms = { bonusBps: bigint; block: bigint | null; open: OpenBonus | null };
export type OpenBonus = Omit<BonusRead, "mostBps" | "mostBoostedBps">;

export type BonusBuyer = { wallet: WalletAddress; store: StoreWithCategories; tokenSlug: string | null; asker: string };

const NOTHING: TokenBalance = { units: 0n, decimals: 0 };
/** More than any threshold. */
const PLENTY: TokenBalance = { units: 1_000_000_000n, decimals: 0 };

/** The bonus for a balance: money is given by it, so it takes what every node says. docs/product.md#bonus */
export function bonusFor(
  held: Agreed<TokenBalance>,
  { token, club }: Pick<BonusParameters, "token" | "club">,
  program: BonusProgram,
): bigint {
  return bonus({ token, club, balance: held.value }, program).totalBps;
}

/**
 * The bonus by the buyer's balance at the click's block; where that cannot be had now, as `bonusLater`: a click waits for
 * nothing. docs/product.md#bonus-read
 */
export async function bonusNow(services: Services, buyer: BonusBuyer): Promise<BonusTerms> {
  const chosen = await chosenToken(services, buyer);
  if (!chosen.contract) return chosen.without;
  try {
    const question = { asker: buyer.asker, at: { depth: 1 } };
    const held = await services.balances.agreed(buyer.wallet, chosen.contract, question);
    const bonusBps = bonusFor(held, chosen, services.environment.BONUS_PROGRAM);
    return { bonusBps, block: BigInt(held.block.number), open: null };
  } catch (error) {
    if (!(error instanceof NoAgreementError)) throw error;
    services.log.warn({ reason: error.message, why: error.why }, "A bonus is read later: the nodes do not agree now");
    return leaveOpen(services, chosen);
  }
}

/** Takes a click without asking any node now: where a balance could raise its bonus, it is read later. */
export async function bonusLater(services: Services, buyer: BonusBuyer): Promise<BonusTerms> {
  return leaveOpen(services, await chosenToken(services, buyer));
}

/** `contract`: whose balance could raise the bonus; null if none could. */
type Chosen = {
  token: FanTokenRow | undefined;
  club: string | null;
  contract: WalletAddress | null;
  without: BonusTerms;
};

async function chosenToken(services: Services, { store, tokenSlug }: BonusBuyer): Promise<Chosen> {
  const { club } = store;
  if (tokenSlug === null) {
    return { token: undefined, club, contract: null, without: { bonusBps: 0n, block: null, open: null } };
  }
  const token = await findFanTokenBySlug(services.database.kysely, tokenSlug);
  if (!token) throw invalid("token_slug is not the slug of a fan token", "token_slug");
  const of = (balance: TokenBalance) => bonus({ token, club, balance }, services.environment.BONUS_PROGRAM).totalBps;
  const bonusBps = of(NOTHING);
  const contract = of(PLENTY) > bonusBps ? token.contract : null;
  return { token, club, contract, without: { bonusBps, block: null, open: null } };
}

async function leaveOpen(services: Services, { token, club, contract, without }: Chosen): Promise<BonusTerms> {
  if (!contract || !token) return without;
  const block = await clickBlock(services);
  if (block === undefined) return without;
  const { slug, name } = token;
  const program = services.environment.BONUS_PROGRAM;
  return { ...without, block, open: { state: "open", token: { slug, name }, contract, club, program, block } };
}

/** The newest block that is known without asking: of the nodes' last check, or of the index. */
async function clickBlock({ nodes, database }: Services): Promise<bigint | undefined> {
  const indexed = await indexedBlock(database.kysely);
  const head = nodes.head === undefined ? undefined : BigInt(nodes.head);
  return indexed ?? head;
}
