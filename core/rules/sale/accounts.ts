import type { AccountKey, AccountTerms } from "./rules.ts";
import { type ClickTerms, WITHOUT_COMMISSION } from "./value.ts";

/**
 * An account that is configured, or was; sales are recorded under its first name. docs/product.md#sales-accounts
 */
export type KnownAccount = AccountTerms & {
  /** Its other names. */
  aliases?: readonly string[];
  /** Milliseconds: when it was no longer configured; null or absent: it is. */
  goneAt?: bigint | null;
};

/**
 * Where a store's sales are reported: the one place that says what a store without a network is. It sells nothing until it
 * has one; those that are older than 1.1, and the samples, are direct shops. docs/product.md#sales-accounts
 */
export function networkOf(store: { network: string | null; unlinked_is_direct: bigint | null }): string | null {
  return store.network ?? (store.unlinked_is_direct === 1n ? WITHOUT_COMMISSION : null);
}

type Link = { network: string | null; isLinked: boolean; account: string | null };
type Visit = { store: Link; terms: Pick<ClickTerms, "link">; createdAt: bigint };

/** Why an account does not report the sales of a click's store, as figures of the hold; none of them: it is another's. */
export type WrongAccount = { account?: string; unlinked?: string };

/** Undefined: it does. docs/product.md#sales-accounts */
export function wrongAccount(
  sale: AccountKey,
  { store, terms, createdAt }: Visit,
  accounts: readonly KnownAccount[],
): WrongAccount | undefined {
  const reporter = accounts.find((one) => isConfigured(one) && isCalled(one, sale));
  if (!reporter) return { account: `${sale.network}/${sale.account}` };
  if (store.network === null) return { unlinked: "1" };
  if (store.network !== sale.network || isBeforeItsLink(reporter, { store, terms })) return {};
  if (store.account !== null) return isCalled(reporter, { ...sale, account: store.account }) ? undefined : {};
  return isOnly(reporter, accounts, createdAt) ? undefined : {};
}

export function isConfigured({ goneAt = null }: KnownAccount): boolean {
  return goneAt === null;
}

function isCalled(one: KnownAccount, { network, account }: AccountKey): boolean {
  return one.network === network && (one.account === account || (one.aliases ?? []).includes(account));
}

/** What was promised before a store became a direct shop does not count there: no commission bounds it. */
function isBeforeItsLink(reporter: KnownAccount, { store, terms }: Pick<Visit, "store" | "terms">): boolean {
  if (reporter.network !== WITHOUT_COMMISSION || !store.isLinked || terms.link === undefined) return false;
  if (terms.link?.network !== reporter.network) return true;
  return terms.link.account !== null && !isCalled(reporter, { ...reporter, account: terms.link.account });
}

/**
 * A store that names no account belongs to the only one of its network. One that was there since the click counts, though
 * it is gone: whose sales those are is not known by what is left.
 */
function isOnly({ network }: AccountKey, accounts: readonly KnownAccount[], since: bigint): boolean {
  return accounts.filter((one) => one.network === network && (one.goneAt ?? since + 1n) > since).length === 1;
}
