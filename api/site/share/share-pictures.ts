import { hash } from "node:crypto";
import type { RequestHandler } from "express";
import { findClub } from "../../../core/catalogue/club-rows.ts";
import { listOffered } from "../../../core/catalogue/store-list.ts";
import { findStore, isOnOffer } from "../../../core/catalogue/stores.ts";
import { findPurchaseNft } from "../../../core/database/nfts.ts";
import { drawnAs } from "../../../core/purchases/view.ts";
import type { ClubLook } from "../../../core/rules/clubs/club.ts";
import { LANGUAGE_NAMES, type Language, languageFrom, textIn } from "../../../core/rules/languages.ts";
import { chzTextFromGwei, percentText } from "../../../core/rules/money.ts";
import { toWireClub } from "../../catalogue/wire.ts";
import { ApiError } from "../../http/api-error.ts";
import { isKnown } from "../../http/etag.ts";
import type { Services } from "../../services.ts";
import { readClubFacts } from "../club-facts.ts";
import { localNumber, monthName, visitorsPromise } from "../local-number.ts";
import { drawClubCard, drawSiteCard, drawStoreCard, drawTicketCard } from "./cards.ts";
import { Renderer } from "./renderer.ts";

const AGE_SECONDS = 3_600;
/**
 * Drawing a picture takes 0.1 seconds of a core, though not of the thread, twice that beside others; link previews need one
 * per shared page: 60 a minute for an address.
 */
const DRAWING_COST = { thread: 200, node: 0, stored: 0, mail: 0 };

/** The URL of the picture for a link to a store, a ticket, a club or, without an id, to the site. */
export const sharePicture = (kind: "store" | "ticket" | "club" | "site", id: string, language: Language): string =>
  kind === "site" ? `/share/site/${language}.png` : `/share/${kind}/${id}/${language}.png`;

/** `/share/{store|ticket}/{id}/{language}.png`, `/share/club/{slug}/{language}.png` and `/share/site/{language}.png`; the site's default picture if it cannot be drawn. */
export function sharePictures(services: Services): RequestHandler {
  const renderer = new Renderer();
  const drawNew = async (svg: string, address: string) => {
    const { giveBack, begin } = await services.gate.spend({ kind: "origin", address }, DRAWING_COST);
    const endTurn = await begin();
    try {
      const known = renderer.kept(svg);
      if (known) giveBack();
      return await (known ?? renderer.draw(svg));
    } finally {
      endTurn();
    }
  };
  return async (request, response, next) => {
    const { site, store, ticket, club, language } = PATH.exec(request.path)?.groups ?? {};
    const to = languageFrom(language);
    let svg: string | undefined;
    if (site) svg = await siteCard(services, to);
    else if (store) svg = await storeCard(services, BigInt(store), to);
    else if (ticket) svg = await ticketCard(services, BigInt(ticket), to);
    else if (club) svg = await clubCard(services, club, to);
    if (svg === undefined) return next();
    try {
      const png = (await renderer.kept(svg)) ?? (await drawNew(svg, request.ip ?? ""));
      response.set({ "content-type": "image/png", "cache-control": `public, max-age=${AGE_SECONDS}` });
      if (isKnown(`"${hash("sha256", svg)}"`, request, response)) return;
      response.send(Buffer.from(png));
    } catch (error) {
      if (!(error instanceof ApiError)) services.log.warn({ err: error }, "A picture for a shared link was not drawn");
      response.redirect(302, "/og.png");
    }
  };
}

const ID = "[1-9]\\d{0,14}";
const PATH = new RegExp(
  `^/share/(?:(?<site>site)|store/(?<store>${ID})|ticket/(?<ticket>${ID})|club/(?<club>[a-z0-9-]{1,60}))/(?<language>${LANGUAGE_NAMES.join("|")})\\.png$`,
);

async function lookOf({ database }: Services, slug: string | null): Promise<ClubLook | undefined> {
  const club = slug === null ? undefined : await findClub(database.kysely, slug);
  return club && toWireClub(club);
}

/** With the first featured store, as the home page's own ticket. docs/product.md#promise */
async function siteCard(services: Services, language: Language): Promise<string> {
  const { rows } = await listOffered(services.database.reader, { featured: true, limit: 1 });
  const [store] = rows;
  if (!store) return drawSiteCard(undefined, language);
  const look = await lookOf(services, store.club_slug);
  return drawSiteCard(
    {
      name: store.name,
      ...visitorsPromise(store, language, services.saleRules),
      look,
    },
    language,
  );
}

async function storeCard(services: Services, id: bigint, language: Language): Promise<string | undefined> {
  const store = await findStore(services.database.kysely, id);
  if (!store || !isOnOffer(store)) return undefined;
  const tags = [textIn(store, "category", language), store.club].filter((tag): tag is string => Boolean(tag));
  const look = await lookOf(services, store.club_slug);
  return drawStoreCard(
    {
      name: store.name,
      ...visitorsPromise(store, language, services.saleRules),
      tags,
      look,
    },
    language,
  );
}

async function clubCard(services: Services, slug: string, language: Language): Promise<string | undefined> {
  const facts = await readClubFacts(services, slug, language);
  if (!facts) return undefined;
  const { club, count, best, figures } = facts;
  const look = toWireClub(club);
  const told = figures && {
    fans: localNumber(String(figures.fans), language),
    amount: localNumber(figures.cashback, language),
    month: monthName(figures.month, language),
  };
  return drawClubCard({ name: club.name, look, count, best, told }, language);
}

async function ticketCard(services: Services, id: bigint, language: Language): Promise<string | undefined> {
  const nft = await findPurchaseNft(services.database.kysely, id);
  if (!nft) return undefined;
  return drawTicketCard(
    {
      id,
      storeId: Number(nft.store_id),
      store: nft.store_name ?? "",
      valueCents: nft.value_cents,
      baseBps: nft.cashback_bps,
      bonusBps: nft.bonus_bps,
      buyer: nft.owner,
      drawn: drawnAs(nft),
      look: await lookOf(services, nft.store_club),
      percent: localNumber(percentText(nft.cashback_bps + nft.bonus_bps), language),
      paid: nft.payout_gwei === null ? undefined : localNumber(chzTextFromGwei(nft.payout_gwei), language),
    },
    language,
  );
}
