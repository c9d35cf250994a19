import { REFERRALS } from "../../core/rules/product-link.ts";
import { REFRESH_MINUTES, readStores, refreshStores } from "./stores.ts";

/*
 * Lights the icon at partner stores. In Chromium the browser itself compares addresses with rules; this code is told
 * nothing of them. Firefox has no such rules: there the icon is always the same, and answers at a click.
 * docs/extension.md
 */

const SIZES = [16, 32] as const;

/** The icon without colour, for pages whose address names somebody else. */
async function greyIcon(): Promise<Record<string, ImageData>> {
  const picture = await createImageBitmap(await (await fetch(chrome.runtime.getURL("icon-192.png"))).blob());
  const drawn = SIZES.map((size) => {
    const context = new OffscreenCanvas(size, size).getContext("2d");
    if (!context) throw new Error("No canvas");
    context.filter = "grayscale(1) opacity(0.6)";
    context.drawImage(picture, 0, 0, size, size);
    return [size, context.getImageData(0, 0, size, size)] as const;
  });
  return Object.fromEntries(drawn);
}

async function writeRules(): Promise<void> {
  const rules = chrome.declarativeContent;
  if (!rules) return;
  const hosts = (await readStores()).flatMap(({ domains }) => domains);
  const pageUrls = hosts.flatMap((domain) => [{ hostEquals: domain }, { hostSuffix: `.${domain}` }]);
  const at = (more: object) =>
    pageUrls.map((host) => new rules.PageStateMatcher({ pageUrl: { ...host, ...more, schemes: ["https"] } }));
  await rules.onPageChanged.removeRules();
  if (pageUrls.length === 0) return;
  const names = REFERRALS.source.replace(/^\^|\$$/g, "");
  await rules.onPageChanged.addRules([
    { conditions: at({}), actions: [new rules.ShowAction()] },
    {
      priority: 200,
      conditions: at({ urlMatches: `(?i)[?&]${names}=` }),
      actions: [new rules.SetIcon({ imageData: await greyIcon() })],
    },
  ]);
}

async function refresh(): Promise<void> {
  if (await refreshStores()) await writeRules();
}

chrome.runtime.onInstalled.addListener(async () => {
  // Elsewhere than at a partner store there is nothing to do.
  if (chrome.declarativeContent) await chrome.action.disable();
  await chrome.alarms.create("refresh", { periodInMinutes: REFRESH_MINUTES });
  await refresh();
  await writeRules();
});
chrome.runtime.onStartup.addListener(refresh);
chrome.alarms.onAlarm.addListener(refresh);
