/** A link to a page of a shop, as a buyer pasted or shared it, without what it tells or earns for others. */
export type ProductLink = {
  /** https, without credentials; host in lower case and ASCII. */
  url: string;
  host: string;
  /** Whether somebody else would have earned by it. */
  wasReferral: boolean;
};

export const PRODUCT_LINK_LENGTH = 4_096;

/** How often a network's link may lead to another one's. */
const MOST_REDIRECTS = 3;

/** The links of networks name the shop's page in a parameter. docs/product.md#links */
const REDIRECTS: readonly { host: RegExp; parameters: readonly string[] }[] = [
  { host: /^(?:www\.)?awin1\.com$/, parameters: ["ued", "p"] },
  { host: /^(?:ad\.admitad\.com|alitems\.(?:com|site))$/, parameters: ["ulp"] },
  { host: /\.(?:sjv\.io|pxf\.io|evyy\.net|ojrq\.net)$/, parameters: ["u"] },
  { host: /^click\.linksynergy\.com$/, parameters: ["murl"] },
  { host: /^(?:www\.)?(?:anrdoezrs|dpbolvw|jdoqocy|kqzyfj|tkqlhce)\.(?:net|com)$/, parameters: ["url"] },
];

/** What a shop reads to tell who sent a visitor. */
export const REFERRALS =
  /^(?:awc|irclickid|irgwc|im_ref|admitad_uid|cj(?:event|data)|ran(?:m|ea|site)id|clickref|click_?id|sub_?id\d?|afsrc|lmdid|aff(?:id|_\w+|iliate_id)|utm_affiliate)$/;
/** Where these say the same; elsewhere they may choose what the page shows. */
const REFERRALS_OF_HOSTS = [
  { host: /(?:^|\.)amazon\./, parameters: /^(?:tag|ascsubtag|linkcode|linkid|camp|creative)$/ },
];

/** What follows a visitor from page to page, and earns nobody anything. */
const TRACKING =
  /^(?:utm_\w+|gclid|gclsrc|gbraid|wbraid|gad_\w+|_gl|_ga|fbclid|igshid?|msclkid|ttclid|twclid|yclid|dclid|mc_[ce]id|mkt_tok)$/;

/**
 * Reads a pasted link; undefined if it is none to a public page: another protocol, credentials, a port, an address by
 * number. No network is asked: a shortened link stays one. docs/product.md#links
 * @example
 * readProductLink("https://www.loja.com/tv?utm_source=x&cor=azul").url // "https://www.loja.com/tv?cor=azul"
 */
export function readProductLink(text: string): ProductLink | undefined {
  let url = publicPage(text.trim());
  let wasReferral = false;
  for (let redirects = 0; url && redirects <= MOST_REDIRECTS; redirects++) {
    const inner = innerLink(url);
    if (inner === undefined) return { host: url.hostname, ...cleaned(url, wasReferral) };
    wasReferral = true;
    url = publicPage(inner);
  }
  return undefined;
}

/**
 * The first https link in what another app shared: often the only part of a text.
 * @example
 * linkIn("Olha esta TV! https://loja.com/tv.") // "https://loja.com/tv"
 */
export function linkIn(text: string): string | undefined {
  const [found] = /https?:\/\/[^\s<>"'\u201c\u201d\u2018\u2019]+/i.exec(text) ?? [];
  return found?.replace(/[.,;:!?)\]}]+$/, "");
}

const HOST = /^(?=.{1,253}$)(?:[a-z\d_](?:[a-z\d_-]{0,61}[a-z\d_])?\.)+[a-z\d-]{2,63}$/;

function publicPage(text: string): URL | undefined {
  if (text.length > PRODUCT_LINK_LENGTH || /[\s\\]/.test(text)) return undefined;
  // A port may follow a bare host, too.
  const url = URL.parse(/^[a-z][a-z\d+.-]*:(?!\d)/i.test(text) ? text : `https://${text}`);
  if (!url || !/^https?:$/.test(url.protocol)) return undefined;
  const isDefault = url.port === "" || url.port === "443";
  if (url.username || url.password || !isDefault) return undefined;
  // The final dot of a full name is the same host.
  url.hostname = url.hostname.replace(/\.$/, "");
  const { hostname } = url;
  // A parser lets names pass that no page has, such as one with an empty part.
  if (!HOST.test(hostname) || /^[\d.]+$/.test(hostname)) return undefined;
  url.protocol = "https:";
  return url;
}

function innerLink(url: URL): string | undefined {
  const { parameters } = REDIRECTS.find(({ host }) => host.test(url.hostname)) ?? { parameters: [] };
  return (
    parameters.map((name) => url.searchParams.get(name)).find((value) => value !== null && value !== "") ?? undefined
  );
}

function cleaned(url: URL, wasReferral: boolean): Pick<ProductLink, "url" | "wasReferral"> {
  const ofHost = REFERRALS_OF_HOSTS.filter(({ host }) => host.test(url.hostname));
  const isReferral = (name: string) =>
    REFERRALS.test(name.toLowerCase()) || ofHost.some(({ parameters }) => parameters.test(name.toLowerCase()));
  // What stays is as it was written: a shop may not read it once it is written anew, such as `%E9` of an older one.
  const pieces = url.search.slice(1).split("&");
  const named = pieces.map((piece) => ({ piece, name: [...new URLSearchParams(piece).keys()][0] ?? "" }));
  const kept = named.filter(({ name }) => !TRACKING.test(name.toLowerCase()) && !isReferral(name));
  if (kept.length < named.length) url.search = kept.map(({ piece }) => piece).join("&");
  return { url: url.href, wasReferral: wasReferral || named.some(({ name }) => isReferral(name)) };
}
