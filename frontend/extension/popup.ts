import {
  countsUntil,
  isReferral,
  noteStarted,
  readStarted,
  readStores,
  refreshStores,
  type Store,
  storesAt,
} from "./stores.ts";

/** The site that this build belongs to; the build writes it. */
declare const SITE: string;

const OWN_TRACE_MS = 30 * 60_000;

const main = document.querySelector("main") as HTMLElement;
const say = (name: string, ...given: string[]) => chrome.i18n.getMessage(name, given);

function show(...parts: (HTMLElement | string | false)[]): void {
  main.replaceChildren(
    ...parts.filter((part) => part !== false).map((part) => (typeof part === "string" ? element("p", part) : part)),
  );
  main.querySelector("button")?.focus();
}

/** Text only: a store's name is never read as HTML. */
function element(name: string, text: string, look = ""): HTMLElement {
  const made = document.createElement(name);
  made.textContent = text;
  made.className = look;
  return made;
}

function button(text: string, press: () => void): HTMLElement {
  const made = element("button", text);
  made.addEventListener("click", press);
  return made;
}

/** To the page with cashback, in the same tab; the way back is the network's link to this page. */
async function leave(tabId: number, page: string, store: Store): Promise<void> {
  // Offline, the reader stays at the page, and nothing is said to be active.
  if (!(await refreshStores())) return show(element("h1", say("unreachable")), say("awayHint"));
  const there = `${SITE}/go?${new URLSearchParams({ url: page, store: String(store.id) })}`;
  try {
    await chrome.tabs.update(tabId, { url: there });
  } catch {
    // The tab was closed meanwhile.
    await chrome.tabs.create({ url: there });
  }
  await noteStarted(store);
  close();
}

/** The page in front; its address is known only because its reader pressed the icon. */
async function start(): Promise<void> {
  document.documentElement.lang = say("lang");
  const [tab] = await chrome.tabs.query({ active: true, currentWindow: true });
  const url = URL.parse(tab?.url ?? "");
  let stores = await readStores();
  if (stores.length === 0) {
    await refreshStores();
    stores = await readStores();
  }
  const home = button(say("openTorcida"), () => void chrome.tabs.create({ url: `${SITE}/stores` }).then(close));
  if (stores.length === 0) return show(element("h1", say("away")), say("awayHint"));
  const found = url?.protocol === "https:" ? storesAt(url.hostname, stores) : [];
  const id = tab?.id;
  if (!url || id === undefined || found.length === 0) return show(element("h1", say("noStore")), home);
  const started = await Promise.all(found.map(readStarted));
  const last = Math.max(0, ...started.map((at) => at ?? 0));
  // Its own way there leaves the same trace as anybody else's.
  const isForeign = isReferral(url) && Date.now() - last > OWN_TRACE_MS;
  const until = Math.max(...found.map((store, index) => countsUntil(store, started[index] ?? 0)));
  const isActive = Date.now() < until && !isForeign;
  show(
    element("h1", say(isActive ? "active" : "here", found[0]?.name ?? "")),
    isActive && say("activeUntil", new Date(until).toLocaleDateString(say("lang"))),
    isForeign && say("foreign"),
    ...found.map((store) =>
      button(found.length > 1 ? say("activateAt", store.name) : say(isActive ? "again" : "activate"), () => {
        leave(id, url.href, store).catch(() => show(say("failed")));
      }),
    ),
    element("p", say("coupons"), "note"),
  );
}

start().catch(() => show(say("failed")));
