import { readFileSync, statSync } from "node:fs";
import { z } from "zod";
import type { Problem } from "../process/environment.ts";
import { sentenceOf } from "../rules/broken-rule.ts";
import { linkTemplate } from "../rules/link-template.ts";
import type { AccountKey } from "../rules/sale/rules.ts";
import { TorcidaError } from "../rules/torcida-error.ts";
import { codeOf } from "../rules/unknown-error.ts";
import { directAccountSchema, type PolledAccount } from "./network.ts";
import { findNetwork, NETWORKS } from "./networks.ts";

export type DirectAccount = z.output<typeof directAccountSchema> & { aliases?: readonly string[] };
export type AffiliateAccount = PolledAccount | DirectAccount;

/** The configured accounts are invalid; the message follows the variable's name. */
export class AccountsError extends TorcidaError {
  override readonly docs = "docs/sales.md#accounts";
}

/** Open sales belong to an account that is not configured, or it is not clear to which. */
export class UnknownAccountError extends TorcidaError {
  override readonly docs = "docs/sales.md#accounts";

  constructor({ network, account }: AccountKey, other: string | undefined, why: "gone" | "twice" | "other" = "gone") {
    const name = `${network}:${account}`;
    const isIt =
      other === undefined ? "" : ` If ${network}:${other} is the same account, start once with its first name.`;
    super(
      {
        gone: `The account ${name} has open sales and is not configured, so nobody reads them: put it back into AFFILIATE_ACCOUNTS, or name it in AFFILIATE_CLOSED_ACCOUNTS, and its sales stay held.${isIt}`,
        twice: `The accounts ${name} and ${network}:${other} are the same one of the network: keep one of them in AFFILIATE_ACCOUNTS, or each sale is paid twice`,
        other: `The account ${name} is another one of the network than before, and the one of before has open sales: give the new one another name, and name ${name} in AFFILIATE_CLOSED_ACCOUNTS`,
      }[why],
    );
  }
}

/** What the network calls an account: it is the same account under any name. docs/product.md#sales-accounts */
export function identityOf(account: AffiliateAccount): string {
  if (!("api_url" in account)) return account.account;
  return findNetwork(account.network)?.identityOf(account) ?? account.account;
}

/** Whether an account is called so in the configuration, a store or the address of a push. */
export function isCalled(one: AffiliateAccount, name: string | null): boolean {
  return name !== null && (one.account === name || (one.aliases ?? []).includes(name));
}

/**
 * The accounts in the file named by `AFFILIATE_ACCOUNTS`, and those in the short form `AFFILIATE_SECRETS`.
 * @throws AccountsError, which never quotes a secret
 */
export function readAccounts(
  path: string | undefined,
  secrets: readonly { network: string; secret: string }[],
): AffiliateAccount[] {
  const accounts = path === undefined ? [] : readFile(path);
  for (const [account, ofAccount] of Map.groupBy(secrets, ({ network }) => network)) {
    accounts.push({ network: "direct", account, secrets: ofAccount.map(({ secret }) => secret) });
  }
  const seen = new Set<string>();
  for (const { network, account } of accounts) {
    const name = `${network}/${account}`;
    if (seen.has(name)) throw new AccountsError(`names ${name} twice`);
    seen.add(name);
  }
  return accounts;
}

function readFile(path: string): AffiliateAccount[] {
  if (/^\s*[[{]/.test(path)) throw new AccountsError("must be the path of a JSON file, not its content");
  let text: string;
  try {
    const { mode } = statSync(path);
    // The file contains tokens: only its owner may read it.
    if ((mode & 0o077) !== 0) throw new AccountsError(`names ${path}, which others can read: chmod 600 it`);
    text = readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof AccountsError) throw error;
    throw new AccountsError(`names ${path}, which cannot be read (${codeOf(error) ?? "?"})`);
  }
  const list = z.array(z.looseObject({ network: z.string() })).safeParse(parseJson(text, path));
  if (!list.success)
    throw new AccountsError(`names ${path}, which must be a JSON array of accounts, each with its "network"`);
  return list.data.map((value, index) => readAccount(value, `account ${index + 1} of ${path}`));
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new AccountsError(`names ${path}, which is not JSON`);
  }
}

function readAccount(value: { network: string }, place: string): AffiliateAccount {
  const schemas = new Map<string, z.ZodType<AffiliateAccount>>([
    ["direct", directAccountSchema],
    ...NETWORKS.map(({ name, accountSchema }) => [name, accountSchema] as const),
  ]);
  const schema = schemas.get(value.network);
  if (!schema) {
    throw new AccountsError(`has in ${place} a network that is not one of ${[...schemas.keys()].join(", ")}`);
  }
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const wrong = result.error.issues.map((issue) =>
    issue.code === "unrecognized_keys"
      ? `${issue.keys.join(", ")} is not a field of it`
      : `${issue.path.join(".")} ${sentenceOf(issue)}`,
  );
  throw new AccountsError(`has in ${place} a wrong field: ${wrong.join("; ")}`);
}

export function polledAccounts(accounts: readonly AffiliateAccount[]): PolledAccount[] {
  return accounts.filter((account): account is PolledAccount => "api_url" in account);
}

export function directSecrets(accounts: readonly AffiliateAccount[], account: string): readonly string[] {
  const found = accounts.find((one) => one.network === "direct" && one.account === account);
  return found && "secrets" in found ? found.secrets : [];
}

export function accountProblems(read: () => unknown): Problem[] {
  try {
    read();
    return [];
  } catch (error) {
    if (error instanceof AccountsError) return [{ variable: "AFFILIATE_ACCOUNTS", message: error.message }];
    throw error;
  }
}

// Links to stores -----------------------------------------------------------------------------------------------------------

export type LinkedStore = {
  affiliate_link: string | null;
  network: string | null;
  account: string | null;
  advertiser_id: string | null;
  link_code: string | null;
  store_url: string | null;
};

const CLICK = "{click}";
const PAGE = "{url}";

/**
 * The buyer's link to a store: the store's own template, else its network's link, with the click by which the network
 * reports sales. Null if there is neither. It leads to a page of the shop where the template or the network can say which,
 * else to the shop's first page. docs/product.md#sales-links
 */
export function linkOf(
  store: LinkedStore,
  click: string,
  accounts: readonly AffiliateAccount[],
  page: string | undefined = store.store_url ?? undefined,
): string | null {
  if (store.affiliate_link !== null) return fillTemplate(linkTemplate(store.affiliate_link), click, page ?? "");
  const { network: name, advertiser_id: ids, link_code: code, store_url: storeUrl } = store;
  const advertiserId = (code ?? ids?.split(",")[0] ?? "").trim();
  const network = NETWORKS.find((one) => one.name === name);
  const ofNetwork = polledAccounts(accounts).filter((one) => one.network === name);
  const account =
    store.account === null && ofNetwork.length === 1
      ? ofNetwork[0]
      : ofNetwork.find((one) => isCalled(one, store.account));
  if (!network || !account || advertiserId === "" || storeUrl === null) return null;
  return network.buildLink(account, { advertiserId, storeUrl: page ?? storeUrl, click }) ?? null;
}

function fillTemplate(template: string, click: string, page: string): string {
  const filled = template.replaceAll(PAGE, () => encodeURIComponent(page));
  if (template.includes(CLICK)) return filled.replaceAll(CLICK, encodeURIComponent(click));
  const url = new URL(filled);
  url.searchParams.set("click_id", click);
  return url.toString();
}
