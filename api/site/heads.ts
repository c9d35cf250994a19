import type { Request } from "express";
import { findStore } from "../../core/catalogue/stores.ts";
import { findPurchaseNft } from "../../core/database/nfts.ts";
import { type Language, textIn } from "../../core/rules/languages.ts";
import { percentText } from "../../core/rules/money.ts";
import { PRODUCT_NAME } from "../../core/rules/product.ts";
import type { Services } from "../services.ts";
import { textsIn } from "../texts.ts";
import { readClubFacts } from "./club-facts.ts";
import { localNumber, localReais, visitorsPromise } from "./local-number.ts";
import type { SitePage } from "./pages.ts";
import { sharePicture } from "./share/share-pictures.ts";

/** The head of a page for readers without scripts: search engines and previews of shared links. */
export type Head = {
  title: string;
  description: string;
  /** The subject of the page, for its first paint. */
  heading?: string;
  /** The address of a picture of it, for the same. */
  picture?: string;
  /** What is largest on it, for the same. */
  figure?: string;
  image?: string;
  /** There is no such page, store, ticket or club. */
  isMissing?: true;
  /** Only its user sees something there. */
  isPrivate?: true;
};
/** A page's head; `isMissing` if what it is about does not exist. */
export async function headOf(services: Services, page: SitePage, subject: string, language: Language): Promise<Head> {
  const head = ownHead(page, language);
  if (page.about === "store")
    return SAMPLE.test(subject) ? head : ((await storeHead(services, subject, language)) ?? missingHead(language));
  if (page.about === "ticket") return (await ticketHead(services, subject, language)) ?? missingHead(language);
  if (page.about === "club") return (await clubHead(services, subject, language)) ?? missingHead(language);
  if (page.about === "transaction" && !/^0x[0-9a-f]{64}$/i.test(subject)) return missingHead(language);
  return head;
}

export function ownHead({ path, title, description, who }: SitePage, language: Language): Head {
  const head = { title: `${title[language]} · ${PRODUCT_NAME}`, description: description[language] };
  if (who !== "anyone") return { ...head, isPrivate: true };
  return path === "/" ? { ...head, image: sharePicture("site", "", language) } : head;
}

export function missingHead(language: Language): Head {
  const title = textsIn(language)("server.head.missing");
  return { title: `${title} · ${PRODUCT_NAME}`, description: title, isMissing: true };
}

const SAMPLE = /^sample-\d{1,2}$/;
const ID = /^[1-9]\d{0,14}$/;

async function storeHead({ database, saleRules }: Services, id: string, language: Language): Promise<Head | undefined> {
  const store = ID.test(id) ? await findStore(database.kysely, BigInt(id)) : undefined;
  if (!store) return undefined;
  const { percent, isRange, totalBps } = visitorsPromise(store, language, saleRules);
  const title = `${textsIn(language)("server.head.store", { store: store.name, percent, isRange })} · ${PRODUCT_NAME}`;
  const image = sharePicture("store", id, language);
  // Of the page's example, R$ 100.
  const figure = localReais(totalBps, language);
  return { title, heading: store.name, description: textIn(store, "description", language) || title, figure, image };
}

async function clubHead(services: Services, slug: string, language: Language): Promise<Head | undefined> {
  const facts = await readClubFacts(services, slug, language);
  if (!facts) return undefined;
  const { club, count, best } = facts;
  const t = textsIn(language);
  const title = `${t("server.head.club", { club: club.name })} · ${PRODUCT_NAME}`;
  const description = t("server.head.club.text", { club: club.name, count, percent: "", isRange: false, ...best });
  return { title, heading: club.name, description, image: sharePicture("club", slug, language) };
}

async function ticketHead(services: Services, id: string, language: Language): Promise<Head | undefined> {
  const nft = ID.test(id) ? await findPurchaseNft(services.database.kysely, BigInt(id)) : undefined;
  if (!nft) return undefined;
  const store = nft.store_name ?? "";
  const percent = localNumber(percentText(nft.cashback_bps + nft.bonus_bps), language);
  const value = localReais(nft.value_cents, language);
  const image = sharePicture("ticket", id, language);
  const t = textsIn(language);
  const heading = t("server.head.ticket", { id });
  const description = t("server.head.ticket.text", { value, percent });
  const picture = `/api/nfts/${id}/image`;
  return { title: `${heading}: ${store} · ${PRODUCT_NAME}`, heading, description, picture, image };
}

/** The site's own URL: as configured, otherwise (on this machine) from the request. */
export function siteOrigin({ environment }: Services, request: Request): string {
  if (environment.PUBLIC_URL !== undefined) return new URL(environment.PUBLIC_URL).origin;
  const asked = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/.exec(request.headers.host ?? "")?.[0];
  return `http://${asked ?? `localhost:${environment.PORT}`}`;
}
