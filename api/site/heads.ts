import type { Request } from "express";
import { findStore } from "../../catalogue/stores.ts";
import { findPurchaseNft } from "../../database/nfts.ts";
import type { Language } from "../../domain/languages.ts";
import { percentText } from "../../domain/money.ts";
import { PRODUCT_NAME } from "../../domain/product.ts";
import type { Services } from "../services.ts";
import { localNumber, localReais, rateOf } from "./local-number.ts";
import { sharePicture } from "./share/share-pictures.ts";

/** The head of a page for readers without scripts: search engines and previews of shared links. */
export type Head = {
  title: string;
  description: string;
  /** The subject of the page, for its first paint. */
  heading?: string;
  image?: string;
  isMissing?: true;
};
type Texts = Record<Language, { title: string; description: string }>;

const GENERAL: Texts = {
  pt: {
    title: `${PRODUCT_NAME}: compre nas lojas parceiras e receba cashback`,
    description:
      "Compre nas lojas parceiras, guarde cada compra como um ingresso na sua carteira e receba cashback em CHZ, com bônus do fan token do seu clube.",
  },
  en: {
    title: `${PRODUCT_NAME}: shop at partner stores and get cashback`,
    description:
      "Shop at partner stores, keep every purchase as a ticket in your wallet and get cashback in CHZ, with a bonus for your club's fan token.",
  },
};

const page = (pt: string, en: string): Texts => ({
  pt: { title: `${pt} · ${PRODUCT_NAME}`, description: GENERAL.pt.description },
  en: { title: `${en} · ${PRODUCT_NAME}`, description: GENERAL.en.description },
});

const HELP: Record<string, Texts> = {
  "how-it-works": page("Como funciona", "How it works"),
  bonus: page("Como funciona o bônus", "How the bonus works"),
  "when-cashback-comes": page("Quando o cashback chega", "When your cashback comes"),
  "missing-cashback": page("Cashback que não apareceu", "Missing cashback"),
  terms: page("Termos de uso", "Terms of Use"),
  privacy: page("Privacidade", "Privacy"),
  contact: page("Contato", "Contact"),
};

/** Pages that always exist, by path. */
const FIXED: Record<string, Texts> = {
  "/": GENERAL,
  "/auth": page("Entrar na Torcida", "Log in to Torcida"),
  "/stores": page("Lojas parceiras", "Partner stores"),
  "/dashboard": page("Seu painel", "Your dashboard"),
  "/admin": page("Painel de Admin", "Admin panel"),
  "/profile": page("Seu perfil", "Your profile"),
  "/visits": page("Minhas visitas às lojas", "My store visits"),
  "/proof": page("Confira você mesmo", "Check it yourself"),
  ...Object.fromEntries(Object.entries(HELP).map(([topic, texts]) => [`/help/${topic}`, texts])),
};

export const generalHead = (language: Language): Head => GENERAL[language];

const NOT_FOUND = page("Página não encontrada", "Page not found");

/** The paths for search engines, in addition to the stores. */
export const PUBLIC_PATHS = ["/", "/stores", "/proof", ...Object.keys(HELP).map((topic) => `/help/${topic}`)];

/** The head of any path of the site; `isMissing` if there is no such page. */
export async function headOf(services: Services, path: string, language: Language): Promise<Head> {
  const trimmed = path.length > 1 ? path.replace(/\/$/, "") : path;
  const fixed = FIXED[trimmed];
  if (fixed) return fixed[language];
  const [, kind, id = "", ...rest] = trimmed.split("/");
  const missing: Head = { ...NOT_FOUND[language], isMissing: true };
  if (rest.length > 0) return missing;
  if (kind === "stores" || kind === "redirect") return (await storeHead(services, id, language)) ?? missing;
  if (kind === "ticket") return (await ticketHead(services, id, language)) ?? missing;
  if (kind === "tx" && /^0x[0-9a-f]{64}$/i.test(id)) return page("Transação", "Transaction")[language];
  return missing;
}

const SAMPLE = /^sample-\d{1,2}$/;
const ID = /^[1-9]\d{0,14}$/;

async function storeHead({ database }: Services, id: string, language: Language): Promise<Head | undefined> {
  if (SAMPLE.test(id)) return FIXED["/stores"]?.[language];
  const store = ID.test(id) ? await findStore(database.kysely, BigInt(id)) : undefined;
  if (!store) return undefined;
  const { highest, isRange } = rateOf(store);
  const percent = `${localNumber(percentText(highest), language)}%`;
  const title =
    language === "pt"
      ? `${store.name}: ${isRange ? "até " : ""}${percent} de cashback · ${PRODUCT_NAME}`
      : `${store.name}: ${isRange ? "up to " : ""}${percent} cashback · ${PRODUCT_NAME}`;
  const image = sharePicture("store", id, language);
  const own = (language === "en" ? store.description_en : null) ?? store.description;
  return { title, heading: store.name, description: own ?? GENERAL[language].description, image };
}

async function ticketHead(services: Services, id: string, language: Language): Promise<Head | undefined> {
  const nft = ID.test(id) ? await findPurchaseNft(services.database.kysely, BigInt(id)) : undefined;
  if (!nft) return undefined;
  const store = nft.store_name ?? "";
  const percent = localNumber(percentText(nft.cashback_bps + nft.bonus_bps), language);
  const value = localReais(nft.value_cents, language);
  const image = sharePicture("ticket", id, language);
  return language === "pt"
    ? {
        title: `Ingresso nº ${id}: ${store} · ${PRODUCT_NAME}`,
        heading: `Ingresso nº ${id}`,
        description: `Compra de ${value} com ${percent}% de cashback, registrada na rede Chiliz. Qualquer pessoa pode conferir.`,
        image,
      }
    : {
        title: `Ticket no. ${id}: ${store} · ${PRODUCT_NAME}`,
        heading: `Ticket no. ${id}`,
        description: `A purchase of ${value} with ${percent}% cashback, recorded on the Chiliz chain. Anyone can check it.`,
        image,
      };
}

/** The site's own URL: as configured, otherwise (on this machine) from the request. */
export function siteOrigin({ environment }: Services, request: Request): string {
  if (environment.PUBLIC_URL !== undefined) return new URL(environment.PUBLIC_URL).origin;
  const asked = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/.exec(request.headers.host ?? "")?.[0];
  return `http://${asked ?? `localhost:${environment.PORT}`}`;
}
