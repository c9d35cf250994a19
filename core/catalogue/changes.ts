import { appendAudit, inAuditedTransaction } from "../database/audit-log.ts";
import type { Database } from "../database/connect.ts";
import type { Asker } from "../database/proposals.ts";
import type { Queries } from "../database/transaction.ts";
import type { CatalogueChange } from "../rules/api/admin-catalogue.ts";
import { CATEGORY_TRANSLATIONS } from "../rules/api/catalogue.ts";
import { isoTime } from "../rules/iso-time.ts";
import { percentText } from "../rules/money.ts";
import { keysOf, recordOf } from "../rules/records.ts";
import { groupKey, networkOf, raiseOf } from "../rules/sale/value.ts";
import { enqueue } from "../sender/queue.ts";
import { boostChanges } from "./boost-changes.ts";
import { type Catalogue, type CatalogueFile, CatalogueFileError, type Found } from "./catalogue-file.ts";
import { type CategoryFields, GroupTakenError } from "./categories.ts";
import { clubChanges, clubRows } from "./club-changes.ts";
import { type FanTokenFields, listFanTokens, saveToken } from "./fan-tokens.ts";
import { offerChanges } from "./offer-changes.ts";
import { listByHand } from "./offer-list.ts";
import { NO_END } from "./offers.ts";
import {
  addCategory,
  addingWaits,
  changeCategory,
  requireAgreedLink,
  UnagreedPercentError,
} from "./percent-approvals.ts";
import { changeStore, createStore, readMoves } from "./store-moves.ts";
import {
  type CategoryTranslations,
  fieldsOf,
  listStores,
  type StoreCategory,
  type StoreFields,
  type StoreWithCategories,
} from "./stores.ts";

export type Change = { change: CatalogueChange; apply(queries: Queries, importing: Import): Promise<void> };

export function changeText({ kind, what, what_detail, name, of, waits, fields }: CatalogueChange): string {
  const to = Object.fromEntries(fields.map(({ field, to }) => [field, to]));
  if (kind === "create") {
    if (what_detail === "offer") return `+ offer of ${of}: ${name}`;
    if (what === "boost")
      return `+ boost of ${of === undefined ? name : `${of}, ${name}`}: ${to.cashback_percent}% from ${to.starts_at} to ${to.ends_at}${WAITS(waits)}`;
    if (what === "store") return `+ store ${name} (${to.country}), named on the chain by the api`;
    return what === "cashback"
      ? `+ ${of}, ${name}: ${to.cashback_percent}%${WAITS(waits)}`
      : `+ ${WORDS[what_detail ?? what]} ${name} (${to.name})`;
  }
  const subject =
    of !== undefined
      ? `${what_detail === "offer" ? "offer of " : ""}${of}, ${name}`
      : `${WORDS[what_detail ?? what]} ${name}`;
  const changed = fields.map(({ field, from, to }) =>
    field === "cashback_percent" ? `${from}% → ${to}%` : `${field} → ${to}`,
  );
  return `~ ${subject}: ${changed.join(", ")}${WAITS(waits)}`;
}

const WORDS = {
  ...{ store: "store", fan_token: "fan token", club: "club" },
  ...{ cashback: "category", boost: "boost", offer: "offer" },
};

const WAITS = (waits: true | undefined) => (waits ? " (waits for a second person)" : "");

/** A value of a field as the preview shows it. */
export const shown = (value: unknown): string | null => (value === null || value === undefined ? null : String(value));

/**
 * The importing admin, and the stores created so far, by lower-case name. Above `aboveBps` a raised percent waits for a
 * second person; undefined for whoever has a shell on the server.
 */
type Import = {
  actor: string;
  madeStores: Map<string, bigint>;
  aboveBps: bigint | undefined;
  asker: Asker | undefined;
};

/** No percent is higher. */
const NO_LIMIT_BPS = 10_000n;

/** Far above the size of any catalogue; the api's lists are shorter. */
const ALL_ROWS = 10_000;

/**
 * The changes that an import would make. Rows that are not in the file stay unchanged.
 * @throws CatalogueFileError if rows contradict each other or the database
 */
async function planChanges(
  queries: Queries,
  catalogue: Catalogue,
  { aboveBps, asker }: Pick<Import, "aboveBps" | "asker">,
): Promise<Change[]> {
  const stores = new Map((await listStores(queries)).map((store) => [store.name.toLowerCase(), store]));
  const inFile = new Set(catalogue.stores.map((store) => store.name.toLowerCase()));
  const missing = [...catalogue.cashbacks, ...catalogue.boosts, ...catalogue.offers].filter(
    ({ store }) => !inFile.has(store.toLowerCase()) && !stores.has(store.toLowerCase()),
  );
  const problems: Found[] = missing.map(({ place, store }) => {
    const text = `there is no store ${store}, here or in the database`;
    return { problem: "no_store", place, values: [store], text };
  });
  const isOfStore = ({ store }: { store: string }) => !missing.some((one) => one.store === store);
  const { cashbacks, boosts, offers } = {
    cashbacks: catalogue.cashbacks.filter(isOfStore),
    boosts: catalogue.boosts.filter(isOfStore),
    offers: catalogue.offers.filter(isOfStore),
  };
  for (const [name, entries] of Map.groupBy(cashbacks, ({ store }) => store.toLowerCase()))
    problems.push(...contradictionsOf(entries, stores.get(name)?.categories ?? []));
  /** What is wrong is said of all rows at once. */
  const orProblems = async (changes: Promise<Change[]>): Promise<Change[]> => {
    const { found, made } = await changes.then(
      (made) => ({ found: [], made }),
      (error: unknown) => ({ found: foundIn(error), made: [] }),
    );
    problems.push(...found);
    return made;
  };
  const ofTokens = await orProblems(fanTokenChanges(queries, catalogue, asker));
  const ofClubs = await orProblems(clubChanges(queries, catalogue));
  const ofStores: Change[] = [];
  for (const entry of catalogue.stores)
    ofStores.push(...(await storeChanges(queries, entry, stores.get(entry.name.toLowerCase()), asker)));
  const ofBoosts = await orProblems(boostChanges(queries, { boosts, cashbacks }, stores, aboveBps));
  const ofOffers = await orProblems(offerChanges(queries, { ...catalogue, offers }, stores));
  if (problems.length > 0) throw new CatalogueFileError(problems);
  return [
    ...ofTokens,
    ...ofClubs,
    ...ofStores,
    ...cashbacks.flatMap((entry) => {
      const name = entry.store.toLowerCase();
      const store = stores.get(name);
      const { network = (store && networkOf(store)) ?? null } =
        catalogue.stores.find((one) => one.name.toLowerCase() === name) ?? {};
      return cashbackChange(entry, { store, network }, aboveBps);
    }),
    ...ofBoosts,
    ...ofOffers,
  ];
}

/** @throws the error itself, if it is not of the file */
function foundIn(error: unknown): readonly Found[] {
  if (error instanceof CatalogueFileError) return error.found;
  throw error;
}

/**
 * The changes of a file that is to be imported. What is wrong of its good rows is said with what is wrong of its bad ones,
 * in the order of the rows. @throws CatalogueFileError
 */
export async function diffFile(
  database: Database,
  { catalogue, problems, refused }: CatalogueFile,
  aboveBps?: bigint,
  asker?: Asker,
): Promise<CatalogueChange[]> {
  if (problems.length === 0) return diff(database, catalogue, aboveBps, asker);
  const changes = diff(database, besides(refused, catalogue), aboveBps, asker);
  const found = await changes.then(() => [], foundIn);
  throw new CatalogueFileError([...problems, ...found].sort((one, other) => rowOf(one) - rowOf(other)));
}

const rowOf = ({ place }: Found): number => Number(place?.split(" ")[1] ?? 0);

/** The rows that neither are refused ones nor need one. */
function besides(refused: ReadonlySet<string>, catalogue: Catalogue): Catalogue {
  const isGood = (name: string | null | undefined) => !refused.has(name?.toLowerCase() ?? "");
  const clubs = catalogue.clubs.filter(({ slug, token_slug }) => isGood(slug) && isGood(token_slug));
  const badClubs = new Set(catalogue.clubs.filter((one) => !clubs.includes(one)).map(({ slug }) => slug));
  const stores = catalogue.stores.filter(
    ({ name, club_slug }) => isGood(name) && isGood(club_slug) && !badClubs.has(club_slug ?? ""),
  );
  const badStores = new Set(
    catalogue.stores.filter((one) => !stores.includes(one)).map(({ name }) => name.toLowerCase()),
  );
  const isOfGood = ({ store }: { store: string }) => isGood(store) && !badStores.has(store.toLowerCase());
  return {
    ...{ fanTokens: catalogue.fanTokens, clubs, stores },
    ...{ cashbacks: catalogue.cashbacks.filter(isOfGood), boosts: catalogue.boosts.filter(isOfGood) },
    offers: catalogue.offers.filter(isOfGood),
  };
}

export async function diff(
  database: Database,
  catalogue: Catalogue,
  aboveBps?: bigint,
  asker?: Asker,
): Promise<CatalogueChange[]> {
  return (await planChanges(database.kysely, catalogue, { aboveBps, asker })).map(({ change }) => change);
}

/** Applies all changes in one transaction, with their audit rows, or none. Returns what was done. */
export async function apply(
  database: Database,
  catalogue: Catalogue,
  actor: string,
  aboveBps?: bigint,
  asker?: Asker,
): Promise<CatalogueChange[]> {
  return inAuditedTransaction(database.kysely, asker ? actor : null, async (queries) => {
    const changes = await planChanges(queries, catalogue, { aboveBps, asker });
    const importing: Import = { actor, madeStores: new Map(), aboveBps, asker };
    for (const change of changes) {
      await change.apply(queries, importing).catch((error: unknown) => {
        if (error instanceof UnagreedPercentError)
          throw new CatalogueFileError([unagreed(change.change, error, aboveBps)]);
        // Two categories that exchange their groups.
        if (!(error instanceof GroupTakenError)) throw error;
        throw new CatalogueFileError([
          { problem: "group_taken", values: [error.group, error.category], text: error.message },
        ]);
      });
    }
    return changes.map(({ change }) => change);
  });
}

function unagreed({ name }: CatalogueChange, { message: text }: Error, aboveBps = NO_LIMIT_BPS): Found {
  return { problem: "percent_unagreed", values: [name, percentText(aboveBps)], text: `${name}: ${text}` };
}

async function storeChanges(
  queries: Queries,
  entry: StoreFields,
  known: StoreWithCategories | undefined,
  asker: Asker | undefined,
): Promise<Change[]> {
  if (!known) {
    return [
      {
        change: { kind: "create", what: "store", name: entry.name, fields: [{ field: "country", to: entry.country }] },
        async apply(queries, { actor, madeStores, asker }) {
          const { id, proposals, atOnce } = await createStore(queries, entry, { actor, asker });
          madeStores.set(entry.name.toLowerCase(), id);
          await enqueue(queries, [{ kind: "register_store", subjectId: id }]);
          const detail = { ...atOnce, ...proposalWords(proposals) };
          await appendAudit(queries, { actor, action: "store.create", subject: `store:${id}`, detail });
        },
      },
    ];
  }
  // The name identifies the store: a difference in case is not a change.
  const { name: _name, ...fields } = entry;
  const before: Record<string, unknown> = fieldsOf(known);
  const changed = Object.entries(fields).filter(([field, value]) => value !== undefined && value !== before[field]);
  const wanted = Object.fromEntries(changed);
  const { atOnce, moves } = asker ? await readMoves(queries, known, wanted) : { atOnce: wanted, moves: [] };
  const moving = Object.fromEntries(moves.flatMap(({ to }) => Object.entries(to)));
  return [
    ...storeUpdate(known, before, atOnce),
    ...storeUpdate(known, before, moving).map(({ change, apply }) => ({
      change: { ...change, waits: true as const },
      apply,
    })),
  ];
}

function storeUpdate(known: StoreWithCategories, before: Record<string, unknown>, fields: object): Change[] {
  const changed = Object.entries(fields);
  if (changed.length === 0) return [];
  return [
    {
      change: {
        kind: "update",
        what: "store",
        name: known.name,
        fields: changed.map(([field, value]) => ({ field, to: shown(value) })),
      },
      async apply(queries, { actor, aboveBps = NO_LIMIT_BPS, asker }) {
        await requireAgreedLink(queries, known.id, fields, aboveBps);
        const { proposals, atOnce } = (await changeStore(queries, known, fields, { actor, asker })) ?? NOTHING;
        const was = Object.fromEntries(changed.map(([field]) => [field, before[field]]));
        const detail = { store: known.name, ...atOnce, was, ...proposalWords(proposals) };
        await appendAudit(queries, { actor, action: "store.update", subject: `store:${known.id}`, detail });
      },
    },
  ];
}

const NOTHING = { proposals: [], atOnce: {} };
const proposalWords = (proposals: readonly bigint[]) =>
  proposals.length === 0 ? {} : { proposals: proposals.map(String) };

type Cashback = Catalogue["cashbacks"][number];

/** A store has one category for each commission group of its network, and one default category. */
function contradictionsOf(entries: readonly Cashback[], known: readonly StoreCategory[]): Found[] {
  const inFile = new Set(entries.map(({ category }) => category.toLowerCase()));
  const taken = new Map(
    known.flatMap(({ category, groupCode }) =>
      groupCode === null || inFile.has(category.toLowerCase()) ? [] : [[groupKey(groupCode), category] as const],
    ),
  );
  let standard: string | undefined;
  return entries.flatMap(({ place, category, group_code, is_default }) => {
    const before = known.find((one) => one.category.toLowerCase() === category.toLowerCase());
    const group = group_code === undefined ? before?.groupCode : group_code;
    const problems: Found[] = [];
    if (group) {
      const other = taken.get(groupKey(group));
      if (other !== undefined) {
        const text = `group_code ${group} is also the group of ${other}`;
        problems.push({ problem: "group_taken", place, values: [group, other], text });
      }
      taken.set(groupKey(group), category);
    }
    if (is_default) {
      if (standard !== undefined) {
        const text = `is_default is also true for ${standard}`;
        problems.push({ problem: "second_default", place, values: [standard], text });
      }
      standard = category;
    }
    return problems;
  });
}

function cashbackChange(
  entry: Cashback,
  { store, network }: { store: StoreWithCategories | undefined; network: string | null },
  aboveBps: bigint | undefined,
): Change[] {
  const known = store?.categories.find((one) => one.category.toLowerCase() === entry.category.toLowerCase());
  const follows = followedIn(entry, known);
  // A percent that follows its commission is that of now, whatever a file of before says.
  const bps = known && follows.isByHand === false ? known.plainBps : entry.cashback_percent;
  const names = recordOf(CATEGORY_TRANSLATIONS, (name) =>
    entry[name] === undefined ? (known?.[name] ?? null) : entry[name],
  );
  const groupCode = entry.group_code === undefined ? (known?.groupCode ?? null) : entry.group_code;
  const isDefault = entry.is_default ?? known?.isDefault ?? false;
  const rate: Rate = { cashbackBps: bps, ...names, groupCode, isDefault };
  const changed = known
    ? [...whatChanged(known, rate), ...followChanges(known, follows)]
    : [{ field: "cashback_percent", to: percentText(bps) }];
  if (changed.length === 0) return [];
  const waits =
    aboveBps !== undefined &&
    (store && known
      ? (raiseOf(store.categories, known.id, rate)?.bps ?? 0n) > aboveBps
      : addingWaits({ created_at: store?.created_at ?? BigInt(Date.now()), network }, bps, aboveBps));
  return [
    {
      change: {
        kind: known ? "update" : "create",
        what: "cashback",
        name: known?.category ?? entry.category,
        of: entry.store,
        ...(waits ? { waits: true as const } : {}),
        fields: changed,
      },
      async apply(queries, { actor, madeStores, aboveBps = NO_LIMIT_BPS }) {
        const rule = { aboveBps, actor };
        const storeId = store?.id ?? madeStores.get(entry.store.toLowerCase());
        if (storeId === undefined) throw new Error(`There is no store ${entry.store}`);
        const fields = { category: entry.category, ...rate, ...follows };
        // A category that is not marked as the default leaves the default unchanged.
        const { isDefault: _, ...unsaid } = rate;
        const written = { ...(entry.is_default === undefined ? unsaid : rate), ...follows };
        const outcome = known
          ? await changeCategory(queries, { storeId, categoryId: known.id }, written, rule)
          : await addCategory(queries, storeId, fields, rule);
        const { id = null, approvalId = null } = outcome ?? {};
        await appendAudit(queries, {
          actor,
          action: known ? "cashback.update" : "cashback.create",
          subject: id === null ? `store:${storeId}` : `store:${storeId}/cashback:${id}`,
          detail: {
            store: store?.name ?? entry.store,
            ...fields,
            ...(known ? { was: { category: known.category, cashback_percent: percentText(known.plainBps) } } : {}),
            ...(approvalId === null ? {} : { approval_id: String(approvalId) }),
          },
        });
      },
    },
  ];
}

type Rate = Required<Pick<CategoryFields, "cashbackBps" | "groupCode" | "isDefault" | keyof CategoryTranslations>>;

/** How a row says that its percent follows; another percent than that of now is by hand. */
function followedIn(
  { is_by_hand, cashback_share_percent: share, cashback_percent }: Cashback,
  known: StoreCategory | undefined,
): Pick<CategoryFields, "isByHand" | "sharePercent"> {
  const isChanged = known !== undefined && known.plainBps !== cashback_percent;
  const isByHand = is_by_hand ?? (isChanged && !known.isByHand ? true : undefined);
  return {
    ...(isByHand === undefined ? {} : { isByHand }),
    ...(share === undefined ? {} : { sharePercent: share === null ? null : BigInt(share) }),
  };
}

function followChanges(
  before: StoreCategory,
  { isByHand, sharePercent }: ReturnType<typeof followedIn>,
): CatalogueChange["fields"] {
  return [
    ...(isByHand === undefined || isByHand === before.isByHand ? [] : [{ field: "is_by_hand", to: String(isByHand) }]),
    ...(sharePercent === undefined || sharePercent === before.sharePercent
      ? []
      : [{ field: "cashback_share_percent", to: shown(sharePercent) }]),
  ];
}

function whatChanged(before: StoreCategory, after: Rate): CatalogueChange["fields"] {
  const rate = { field: "cashback_percent", from: percentText(before.plainBps), to: percentText(after.cashbackBps) };
  const others = [
    ...CATEGORY_TRANSLATIONS.map((name) => [name, before[name], after[name]] as const),
    ["group_code", before.groupCode, after.groupCode],
    ["is_default", before.isDefault, after.isDefault],
  ] as const;
  return [
    ...(before.plainBps === after.cashbackBps ? [] : [rate]),
    ...others.flatMap(([field, was, is]) => (was === is ? [] : [{ field, to: shown(is) }])),
  ];
}

/** A balance counts for one fan token only. Of two entries with the same slug, the later one applies. */
function refuseSharedContract(tokens: readonly { slug: string; contract?: string | null | undefined }[]): void {
  const contracts = new Map(tokens.flatMap(({ slug, contract }) => (contract ? [[slug, contract] as const] : [])));
  const slugs = new Map<string, string>();
  for (const [slug, contract] of contracts) {
    const other = slugs.get(contract);
    if (other !== undefined) {
      const text = `The fan tokens ${other} and ${slug} have the same contract, ${contract}`;
      throw new CatalogueFileError([{ problem: "contract_taken", values: [other, slug, contract], text }]);
    }
    slugs.set(contract, slug);
  }
}

async function fanTokenChanges(queries: Queries, catalogue: Catalogue, asker: Asker | undefined): Promise<Change[]> {
  const tokens = new Map((await listFanTokens(queries, ALL_ROWS)).map((token) => [token.slug, token]));
  refuseSharedContract([...tokens.values(), ...catalogue.fanTokens]);
  return catalogue.fanTokens.flatMap((entry) => {
    const known = tokens.get(entry.slug);
    const fields: FanTokenFields = {
      name: entry.name,
      slug: entry.slug,
      symbol: entry.symbol ?? known?.symbol ?? entry.slug.toUpperCase(),
      image: entry.image,
      contract: entry.contract ?? known?.contract ?? null,
    };
    const changed = keysOf(fields).filter((field) => known?.[field] !== fields[field]);
    if (changed.length === 0) return [];
    const waits = asker !== undefined && fields.contract !== null && changed.includes("contract");
    return [
      {
        change: {
          kind: known ? "update" : "create",
          what: "fan_token",
          name: entry.slug,
          ...(waits ? { waits: true as const } : {}),
          fields: changed.map((field) => ({ field, to: shown(fields[field]) })),
        },
        async apply(queries: Queries, { actor, asker }: Import) {
          const saved = await saveToken(queries, known?.id, fields, { actor, asker });
          if (!saved) throw new Error(`There is no fan token ${entry.slug}`);
          const { id, atOnce, asked } = saved;
          const named = keysOf(atOnce).filter((field) => field === "name" || changed.includes(field));
          const detail = { ...recordOf(named, (field) => atOnce[field]), ...proposalWords(asked ? [asked.id] : []) };
          const action = known ? "fan_token.update" : "fan_token.create";
          await appendAudit(queries, { actor, action, subject: `fan_token:${id}`, detail });
        },
      },
    ];
  });
}

export async function exportRows({ kysely }: Database): Promise<Record<string, unknown>[]> {
  const stores = await listStores(kysely);
  const tokens = await listFanTokens(kysely, ALL_ROWS);
  return [
    ...stores.map((store) => ({ type: "store", ...fieldsOf(store) })),
    ...stores.flatMap((store) =>
      store.categories.map(({ category, plainBps, groupCode, isDefault, isByHand, sharePercent, ...names }) => ({
        type: "cashback",
        store: store.name,
        category,
        ...recordOf(CATEGORY_TRANSLATIONS, (name) => names[name]),
        cashback_percent: percentText(plainBps),
        group_code: groupCode,
        is_default: isDefault || null,
        is_by_hand: isByHand ? null : false,
        cashback_share_percent: sharePercent === null ? null : Number(sharePercent),
      })),
    ),
    ...stores.flatMap((store) =>
      store.boosts.map(({ categoryId, bps, startsAt, endsAt }) => ({
        type: "boost",
        store: store.name,
        category: store.categories.find((one) => one.id === categoryId)?.category ?? null,
        cashback_percent: percentText(bps),
        starts_at: isoTime(startsAt),
        ends_at: isoTime(endsAt),
      })),
    ),
    ...(await listByHand(kysely)).map((offer) => ({
      type: "offer",
      store: offer.store,
      title: offer.title,
      code: offer.code,
      terms: offer.terms,
      url: offer.url,
      starts_at: isoTime(offer.starts_at),
      ends_at: offer.ends_at >= NO_END ? null : isoTime(offer.ends_at),
      with_cashback: offer.with_cashback === 1n,
    })),
    ...tokens.map(({ name, slug, symbol, image, contract }) => ({
      type: "fan_token",
      name,
      slug,
      symbol,
      image: image || null,
      contract,
    })),
    ...(await clubRows(kysely)),
  ];
}
