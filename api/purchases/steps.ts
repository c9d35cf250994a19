import type { z } from "zod";
import { appendAudit, inAuditedTransaction } from "../../core/database/audit-log.ts";
import { touchUser } from "../../core/database/touch-user.ts";
import { inTransaction, type Queries } from "../../core/database/transaction.ts";
import { confirmNow, mintNow } from "../../core/purchases/next-step.ts";
import { withdrawPurchase } from "../../core/purchases/purchase-rows.ts";
import { findPurchase, type Purchase } from "../../core/purchases/queries.ts";
import type {
  confirmPurchaseResponseSchema,
  mintNftRequestSchema,
  mintNftResponseSchema,
} from "../../core/rules/api/purchases.ts";
import { isoTime } from "../../core/rules/iso-time.ts";
import { reaisText } from "../../core/rules/money.ts";
import { type Obstacle, purchaseStatusFromChain } from "../../core/rules/purchase/life.ts";
import type { WalletAddress } from "../../core/rules/wallet-address.ts";
import { findOperation, findOperationHash, lockOperations, UNSENT } from "../../core/sender/queue.ts";
import { type ApiError, conflict, forbidden, notFound } from "../http/api-error.ts";
import { actorOf, type Identity, isAllowed, type Reply } from "../http/route.ts";
import { requireRate, type Services } from "../services.ts";

type MintResponses = Record<200 | 202, typeof mintNftResponseSchema>;
type ConfirmResponses = Record<200 | 202, typeof confirmPurchaseResponseSchema>;

/**
 * Queues the mint of a purchase, once; returns its ticket if it exists. docs/product.md#mint
 * @throws ApiError 404 for a caller who may not see it, 403 for another buyer or a URI that is not theirs to choose, 409 if it is reversed or not due
 */
export async function mintTicket(
  services: Services,
  identity: Identity,
  { user, purchase_id, metadata_uri }: z.output<typeof mintNftRequestSchema>,
): Promise<Reply<MintResponses>> {
  const { kysely } = services.database;
  const purchase = await findPurchase(kysely, purchase_id);
  if (!purchase || !maySee(identity, purchase)) throw notFound("Purchase");
  if (user !== purchase.wallet) throw forbidden("user is not the buyer of this purchase");
  if (metadata_uri !== "" && !mayChooseMetadata(services, identity, purchase)) {
    throw forbidden("Only an admin or a service chooses metadata_uri here", "METADATA_URI_FORBIDDEN");
  }
  if (purchase.chain_status !== null) return mintAnswer(purchase, purchase.mint_transaction);
  if (purchase.reversed_at !== null) throw conflict("This purchase was reversed by the store", "REVERSED");
  if (purchase.source === "live") await requireDueMint(kysely, purchase);
  const operation = await inTransaction(kysely, (queries) => mintNow(queries, purchase, metadata_uri));
  services.senders.wake();
  return mintAnswer(purchase, operation ? await findOperationHash(kysely, operation) : null);
}

function maySee(identity: Identity, purchase: Purchase): boolean {
  if (identity.kind === "service") return true;
  return identity.kind === "user" && (isAllowed(identity, "payments") || identity.visitor.wallet === purchase.wallet);
}

function mayChooseMetadata({ environment }: Services, identity: Identity, purchase: Purchase): boolean {
  if (environment.SIMULATED_PURCHASES && purchase.source === "simulated") return true;
  if (actorOf(identity) === purchase.wallet) return false;
  return identity.kind === "service" || isAllowed(identity, "payments");
}

/** A sale is minted when its delay is over, and not while it is held; the delay cannot be skipped. */
async function requireDueMint(queries: Queries, purchase: Purchase): Promise<void> {
  const operation = await findOperation(queries, "mint", purchase.id);
  if (!operation) {
    const reason = purchase.sale_id === null ? "No network has reported this purchase" : "This sale waits for a person";
    throw conflict(`${reason}: it cannot be minted now`, "NOT_DUE", { due_at: null });
  }
  if (operation.status !== "queued" || operation.not_before <= BigInt(Date.now())) return;
  const due_at = isoTime(operation.not_before);
  throw conflict(`This purchase is minted automatically from ${due_at}`, "NOT_DUE", { due_at });
}

function mintAnswer(purchase: Purchase, transactionHash: string | null): Reply<MintResponses> {
  const isMinted = purchase.chain_status !== null;
  return {
    status: isMinted ? 200 : 202,
    body: {
      success: true,
      message: isMinted ? "NFT minted" : "Mint queued",
      purchase_id: Number(purchase.id),
      token_id: purchase.id.toString(),
      status: isMinted ? purchaseStatusFromChain(purchase.chain_status ?? undefined) : "queued",
      tx_hash: transactionHash,
    },
  };
}

/**
 * Withdraws a buyer's own simulated purchase whose ticket was not sent; idempotent. docs/product.md#redirect
 * @throws ApiError 404, or 409 once the ticket is sent
 */
export async function withdrawOwnPurchase(services: Services, wallet: WalletAddress, id: bigint): Promise<void> {
  await inTransaction(services.database.kysely, async (queries) => {
    await touchUser(queries, wallet);
    // Locked, so that the mint is not sent meanwhile.
    const [mint] = await lockOperations(queries, [id], ["mint"]);
    const purchase = await findPurchase(queries, id);
    if (purchase?.wallet !== wallet) throw notFound("Purchase");
    if (purchase.reversed_at !== null) return;
    const isUnsent = mint === undefined || UNSENT.some((status) => status === mint.status);
    if (purchase.source !== "simulated" || purchase.chain_status !== null || !isUnsent) {
      throw conflict("The ticket of this purchase is already being issued", "TICKET_SENT");
    }
    await withdrawPurchase(queries, id);
  });
}

/**
 * Queues the confirmation of a purchase by staff, once. docs/product.md#confirm
 * @throws ApiError 404, 403 for one's own purchase, 409 if its state does not allow it, 503 without a rate
 */
export async function confirmPurchase(
  services: Services,
  identity: Identity,
  purchaseId: bigint,
): Promise<Reply<ConfirmResponses>> {
  const purchase = await findPurchase(services.database.kysely, purchaseId);
  if (!purchase) throw notFound("Purchase");
  if (actorOf(identity) === purchase.wallet) throw forbidden("You cannot confirm your own purchase");
  const isDone = purchaseStatusFromChain(purchase.chain_status ?? undefined) === "confirmed";
  if (!isDone) await queueConfirmation(services, identity, purchase);
  services.senders.wake();
  return {
    status: isDone ? 200 : 202,
    body: {
      success: true,
      message: isDone ? "Purchase confirmed" : "Confirmation queued",
      purchase_id: Number(purchase.id),
      status: isDone ? "confirmed" : "queued",
    },
  };
}

async function queueConfirmation(services: Services, identity: Identity, purchase: Purchase): Promise<void> {
  const moment = { now: 0n, deepestBlock: 0n, hasRate: true, isLive: services.saleRules.isLive };
  const { saleRules: rules } = services;
  await inAuditedTransaction(services.database.kysely, actorOf(identity), async (queries) => {
    const asked = { moment, rules, requireRate: () => requireRate(services) };
    const obstacle = await confirmNow(queries, purchase.id, asked);
    if (obstacle) throw refusedConfirmation(purchase, obstacle);
    if (identity.kind !== "user") return;
    const { id, wallet, store_name: store, amount_cents } = purchase;
    const detail = { wallet, store, amount: reaisText(amount_cents) };
    await appendAudit(queries, {
      actor: actorOf(identity),
      action: "purchase.confirm",
      subject: `purchase:${id}`,
      detail,
    });
  });
}

function refusedConfirmation({ chain_status }: Purchase, { kind }: Obstacle): ApiError {
  if (kind === "held") return conflict("An administrator holds this purchase", "HELD");
  if (kind === "approval" || kind === "simulated")
    return conflict("The store's network has not approved this sale", "NOT_APPROVED");
  if (kind === "status" && chain_status === null) {
    return conflict("This purchase is not minted yet; mint it first", "NOT_MINTED");
  }
  return conflict("This purchase is cancelled", "CANCELLED");
}
