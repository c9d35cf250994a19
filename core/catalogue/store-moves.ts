import {
  type Asker,
  findLastDone,
  lapseProposals,
  noteStopped,
  type ProposedFields,
  propose,
} from "../database/proposals.ts";
import type { Queries } from "../database/transaction.ts";
import { linkTemplate } from "../rules/link-template.ts";
import { keysOf, recordOf } from "../rules/records.ts";
import { enqueueAgain } from "../sender/queue.ts";
import { deleteStore, findStoreByName, insertStore, lookOf, requireNotOwn, updateStore } from "./store-rows.ts";
import type { StoreFields, StoreRow } from "./stores.ts";

/*
 * What moves a store's buyers, or the money that its sales bring, to somebody else: its link, whose sales count as its
 * own, whose orders they are, and its name, by which buyers know it. One person alone may set a store up, and stop it,
 * but not move it. docs/product.md#proposals
 */

const FIELDS = {
  store_link: ["affiliate_link", "store_url", "domains"],
  store_account: ["network", "account", "advertiser_id", "link_code"],
  // Without a merchant the host of its address stands for it.
  store_merchant: ["merchant", "store_url"],
} as const;
type MoveKind = keyof typeof FIELDS;
const KINDS = keysOf(FIELDS);
const PLACED = [...new Set(KINDS.flatMap((kind): readonly Field[] => FIELDS[kind]))];
type Field = (typeof FIELDS)[MoveKind][number];
type Placed = Pick<StoreRow, Field>;
type Fields = Partial<StoreFields>;
type Move = { kind: MoveKind; from: ProposedFields; to: ProposedFields };

const NOWHERE: Placed = {
  affiliate_link: null,
  store_url: null,
  network: null,
  account: null,
  advertiser_id: null,
  link_code: null,
  merchant: null,
  domains: null,
};
const DIRECT = "direct";

/**
 * The changes of a store that move it, and all others. `stopped`: how it was when its link or network was last taken
 * away. `former`: a store whose buyers know the name that this one gets.
 */
export function movesOf(
  before: Placed & { name?: string },
  fields: Fields,
  { stopped, former }: { stopped?: Placed | undefined; former?: Placed | undefined } = {},
): { atOnce: Fields; moves: Move[] } {
  const after = { ...before, ...given(fields) };
  const base = stopped && (placeOf(before) === null || !before.network) ? stopped : before;
  const waiting = new Set<string>();
  const wait = (kind: MoveKind, isMoved: boolean): Move[] => {
    const changed = FIELDS[kind].filter((field) => after[field] !== before[field] && !waiting.has(field));
    if (!isMoved || changed.length === 0) return [];
    for (const field of changed) waiting.add(field);
    const at = (placed: Placed) => recordOf(changed, (field) => placed[field]);
    return [{ kind, from: at(before), to: at(after) }];
  };
  const moves = KINDS.flatMap((kind) => wait(kind, placeOf(base) !== null && isMovedBy[kind](base, after)));
  // Under a name that others know, its buyers arrive where the store of this name never led them.
  if (former && fields.name !== undefined && before.name !== undefined && !leadsAlike(former, before)) {
    waiting.add("name");
    moves.push({ kind: "store_link", from: { name: before.name }, to: { name: fields.name } });
  }
  return { atOnce: Object.fromEntries(Object.entries(fields).filter(([field]) => !waiting.has(field))), moves };
}

function given(fields: Fields): Partial<Placed> {
  const names = PLACED.filter((name) => fields[name] !== undefined);
  return recordOf(names, (name) => fields[name] ?? null);
}

const isMovedBy: Record<MoveKind, (before: Placed, after: Placed) => boolean> = {
  // Without a link nobody goes anywhere.
  store_link: (before, after) =>
    placeOf(after) !== null && (placeOf(after) !== placeOf(before) || takesDomain(before, after)),
  // A store without a network sells nothing.
  store_account: (before, after) =>
    Boolean(before.network && after.network) && FIELDS.store_account.some((field) => after[field] !== before[field]),
  store_merchant: (before, after) => merchantOf(before) !== null && merchantOf(after) !== merchantOf(before),
};

const leadsAlike = (one: Placed, other: Placed) => placeOf(other) === null || placeOf(one) === placeOf(other);

/** Where buyers arrive, as far as one text tells it from another; null without a link. */
function placeOf({ affiliate_link: link, network, advertiser_id, link_code, store_url }: Placed): string | null {
  // A network's link names our account and where it leads: any other one may be another's.
  const page = link && linkTemplate(link).includes("{url}") ? ` to ${hostsIn(store_url ?? "")}` : "";
  if (link) return `${network && network !== DIRECT ? `link ${link.trim()}` : `hosts ${hostsIn(link)}`}${page}`;
  if (!network || network === DIRECT || !(advertiser_id || link_code) || !store_url) return null;
  return `built ${hostsIn(store_url)}`;
}

/** Whether links to a further shop's pages would lead where this store leads. */
function takesDomain(before: Placed, { domains, affiliate_link, store_url }: Placed): boolean {
  const own = `${hostsIn(affiliate_link ?? "")} ${hostsIn(store_url ?? "")}`
    .split(" ")
    .map((host) => host.replace(/^www\./, ""));
  const known = [...(before.domains?.split(",") ?? []), ...own];
  return (domains?.split(",") ?? []).some((domain) => !known.includes(domain));
}

/** Every host that a link names, also where it is the parameter of a redirect. */
function hostsIn(link: string): string {
  // Browsers read a backslash as a slash.
  const plain = decoded(decoded(link)).toLowerCase().replaceAll("\\", "/");
  const hosts = [...plain.matchAll(/\/\/([^/?#&\s"']+)/g)].map(([, host = ""]) => host.replace(/^.*@/, ""));
  return [...new Set(hosts)].join(" ");
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Whose orders they are. docs/product.md#sales-once */
function merchantOf({ merchant, store_url }: Placed): string | null {
  return merchant?.normalize("NFC").toLowerCase() || (store_url ? hostsIn(store_url) : null);
}

/** Who changes a store; without an asker it is somebody with a shell on the server, whom nobody has to agree with. */
export type StoreChanger = { actor: string; asker: Asker | undefined };

export type ChangedStore = { proposals: bigint[]; takesEffectAt: bigint | null; atOnce: Fields };

/**
 * Changes a store: what moves its buyers or its money is proposed, all else happens at once. Undefined if there is no
 * such store. @throws OwnSaleError
 */
export async function changeStore(
  queries: Queries,
  store: StoreRow,
  fields: Fields,
  { actor, asker }: StoreChanger,
): Promise<ChangedStore | undefined> {
  const { id } = store;
  const isRenamed = fields.name !== undefined && fields.name !== store.name;
  const { atOnce, moves } = asker ? await readMoves(queries, store, fields) : { atOnce: fields, moves: [] };
  const people = asker ? [actor] : [];
  for (const { to } of moves) await requireNotOwn(queries, id, to, people);
  if (moves.length === 0 || Object.values(atOnce).some((value) => value !== undefined)) {
    await noteStop(queries, store, { ...store, ...given(atOnce) }, actor);
    if (!(await updateStore(queries, id, atOnce, ...people))) return undefined;
    // Every ticket shows the name, so it is renamed on chain too.
    if (isRenamed && atOnce.name !== undefined) await rename(queries, store, actor);
  }
  return { ...(await proposeAll(queries, id, moves, asker)), atOnce };
}

/** Creates a store; under a name that buyers know, what leads them elsewhere is proposed. docs/product.md#store-name */
export async function createStore(
  queries: Queries,
  fields: StoreFields,
  { asker }: StoreChanger,
): Promise<ChangedStore & { id: bigint }> {
  const former = asker && (await findNamed(queries, fields.name));
  const { moves } = former ? movesOf(NOWHERE, fields, { stopped: former }) : { moves: [] };
  const waiting = new Set(moves.flatMap(({ to }) => keysOf(to)));
  const atOnce = Object.fromEntries(Object.entries(fields).filter(([field]) => !waiting.has(field)));
  const id = await insertStore(queries, { ...atOnce, name: fields.name, country: fields.country });
  return { id, ...(await proposeAll(queries, id, moves, asker)), atOnce };
}

/** `movesOf`, with what the store was when it was stopped, and who had its new name. */
export async function readMoves(queries: Queries, store: StoreRow, fields: Fields) {
  const isRenamed = fields.name !== undefined && fields.name !== store.name;
  const stopped = await findKept(queries, stoppedSubject(store.id));
  const former = isRenamed ? await findNamed(queries, fields.name ?? "", store.id) : undefined;
  return movesOf(store, fields, { stopped, former });
}

async function proposeAll(queries: Queries, id: bigint, moves: readonly Move[], asker: Asker | undefined) {
  const byKind = Map.groupBy(moves, ({ kind }) => kind);
  const proposals: bigint[] = [];
  let takesEffectAt: bigint | null = null;
  for (const [kind, same] of byKind) {
    if (!asker) continue;
    const from = Object.assign({}, ...same.map((one) => one.from));
    const to = Object.assign({}, ...same.map((one) => one.to));
    const asked = await propose(queries, { kind, subject: id, from, to }, asker);
    proposals.push(asked.id);
    takesEffectAt = asked.takesEffectAt;
  }
  return { proposals, takesEffectAt };
}

/** Deletes a store at once, with what waits for it; its name stays its buyers'. */
export async function removeStore(queries: Queries, store: StoreRow, actor: string): Promise<boolean> {
  for (const kind of KINDS) await lapseProposals(queries, kind, store.id);
  await keepName(queries, store, actor);
  return deleteStore(queries, store.id);
}

async function rename(queries: Queries, store: StoreRow, actor: string): Promise<void> {
  await keepName(queries, store, actor);
  await enqueueAgain(queries, { kind: "rename_store", subjectId: store.id });
}

/** So that starting again elsewhere is known as a move. */
async function noteStop(queries: Queries, before: StoreRow, after: Placed, actor: string): Promise<void> {
  const isStopped = placeOf(before) !== null && placeOf(after) === null;
  if (!isStopped && !(before.network && !after.network)) return;
  for (const kind of KINDS) await lapseProposals(queries, kind, before.id);
  await keep(queries, stoppedSubject(before.id), before, actor);
}

const stoppedSubject = (id: bigint) => `stopped ${id}`;
const nameSubject = (name: string) => `name ${lookOf(name)}`;

/** Where this store led its buyers, for the next one of its name. */
async function keepName(queries: Queries, store: StoreRow, actor: string): Promise<void> {
  if (placeOf(store) !== null) await keep(queries, nameSubject(store.name), store, actor);
}

/** Where buyers know that this name leads: another store of that name, or the last one that had it. */
async function findNamed(queries: Queries, name: string, except = 0n): Promise<Placed | undefined> {
  const standing = await findStoreByName(queries, name, except);
  return standing && placeOf(standing) !== null ? standing : findKept(queries, nameSubject(name));
}

function keep(queries: Queries, subject: string, placed: Placed, actor: string): Promise<void> {
  const from = recordOf(PLACED, (field) => placed[field]);
  return noteStopped(queries, { kind: "store_link", subject, from }, actor);
}

async function findKept(queries: Queries, subject: string): Promise<Placed | undefined> {
  const last = await findLastDone(queries, "store_link", subject);
  return last && { ...NOWHERE, ...JSON.parse(last.from_fields) };
}

/** Carries out what was agreed to; false if the store is no longer what it was about. @throws OwnSaleError */
export async function moveStore(
  queries: Queries,
  storeId: bigint,
  { from, to }: { from: ProposedFields; to: ProposedFields },
  people: readonly string[],
): Promise<boolean> {
  const store = await queries
    .selectFrom("stores")
    .selectAll()
    .where("id", "=", storeId)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  const known: Record<string, unknown> = store ?? {};
  if (!store || keysOf(from).some((field) => (known[field] ?? null) !== from[field])) return false;
  const { name, ...placed } = to;
  const fields = { ...placed, ...(name ? { name } : {}) };
  if (!(await updateStore(queries, storeId, fields, ...people))) return false;
  if (name) await rename(queries, store, people[0] ?? "system");
  return true;
}
