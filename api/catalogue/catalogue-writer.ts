import { BoostTooHighError } from "../../core/catalogue/boosts.ts";
import { GroupTakenError } from "../../core/catalogue/categories.ts";
import { ClubError } from "../../core/catalogue/club-rows.ts";
import { OfferTitleTakenError } from "../../core/catalogue/offers.ts";
import { type PercentRule, UnagreedPercentError } from "../../core/catalogue/percent-approvals.ts";
import { appendAudit, inAuditedTransaction } from "../../core/database/audit-log.ts";
import type { Queries } from "../../core/database/transaction.ts";
import { isCalled } from "../../core/sales/accounts.ts";
import { shopShareOf } from "../../core/sales/programme-stores.ts";
import { conflict, invalid } from "../http/api-error.ts";
import { actorOf, type Identity } from "../http/route.ts";
import type { Services } from "../services.ts";
import type { CatalogueCache } from "./catalogue-cache.ts";

/** What every call that changes the catalogue has in common. */
export const CATALOGUE_WRITE = {
  access: "admin",
  permission: "catalogue",
} as const;

/** `words` are parameters of the log sentence in addition to the request's fields. */
type Written<T> = { result: T; subject: string; words?: object };

export type CatalogueWriter = ReturnType<typeof catalogueWriter>;

/** Runs an admin's write and its audit row in one transaction, then drops the cache. */
export function catalogueWriter(services: Services, cache: CatalogueCache) {
  return async function write<T>(
    call: { identity: Identity },
    entry: { action: string; detail: object; typed?: Record<string, unknown> },
    work: (queries: Queries) => Promise<Written<T>>,
  ): Promise<T> {
    const outcome = await inAuditedTransaction(services.database.kysely, actorOf(call.identity), async (queries) => {
      const { result, subject, words } = await work(queries).catch(refuseWrite);
      const detail = { ...entry.detail, ...words };
      const note = { words: entry.typed ?? {} };
      await appendAudit(queries, { actor: actorOf(call.identity), action: entry.action, subject, detail, note });
      return result;
    });
    services.log.info({ action: entry.action }, "Decided by an admin");
    cache.drop();
    services.senders.wake();
    return outcome;
  };
}

/** @throws ApiError for what the catalogue refuses, and everything else as it is */
export function refuseWrite(error: unknown): never {
  if (error instanceof GroupTakenError) throw conflict(error.message, "GROUP_TAKEN", { field: "group_code" });
  if (error instanceof OfferTitleTakenError) throw conflict(error.message, "OFFER_TITLE_TAKEN", { field: "title" });
  if (error instanceof BoostTooHighError) throw conflict(error.message, "BOOST_TOO_HIGH", { field: "percent" });
  if (error instanceof ClubError) {
    const { field, message } = error;
    throw field === "name" ? conflict(message, "CLUB_NAME_TAKEN", { field }) : invalid(message, field);
  }
  if (error instanceof UnagreedPercentError) throw conflict(error.message, "PERCENT_UNAGREED", { field: "network" });
  throw error;
}

/** The part of its account's commissions that a store's buyers get, unless store or category say another one. */
export function shopShareFor(
  { accounts, saleRules }: Pick<Services, "accounts" | "saleRules">,
  { network, account }: { network: string | null; account: string | null },
): bigint {
  const ofNetwork = accounts.filter((one) => one.network === network);
  const only = account === null && ofNetwork.length === 1 ? ofNetwork[0] : undefined;
  return shopShareOf(only ?? ofNetwork.find((one) => isCalled(one, account)), saleRules);
}

/** What this admin may promise alone. docs/product.md#percent-approvals */
export function percentRule({ environment }: Pick<Services, "environment">, identity: Identity): PercentRule {
  return { aboveBps: BigInt(environment.BOOST_APPROVAL_ABOVE_PERCENT) * 100n, actor: actorOf(identity) };
}
