/** Values in local storage. Reads and writes do not fail if the browser forbids storage. */
export const STORAGE_KEYS = {
  token: "auth_token",
  currentWallet: "current_wallet",
  /** Written by wagmi. */
  recentConnector: "wagmi.recentConnectorId",
  signedOutWallet: "signed_out_wallet",
  favourites: "favourite_stores",
  club: "club",
  /** Its ground, ink and mark, so that no page waits for them: `#006437 #f7f4ea #ffc93c`. */
  clubColours: "club_colours",
  language: "language",
  /** Of the panel alone. */
  panelLanguage: "panel_language",
  theme: "theme",
  consent: "analytics_consent",
  /** `over` once they were all taken, or refused. */
  firstSteps: "first_steps",
  /** How many visits, and when the last one was seen: `2 1764000000000`. */
  visits: "visits",
  testedLinks: "tested_links",
  /** `frontend/wallet/passkey/kept.ts` */
  passkeyWallet: "passkey_wallet",
  /** Whether its words were offered or saved: `frontend/wallet/passkey/words-kept.ts`. */
  passkeyWords: "passkey_words",
  /** Told once that a hardware wallet is better for the panel. */
  passkeyAdmin: "passkey_admin",
  /** The wallet whose messages come to this browser, its device's id, and the address at its service: `0x… 7 https://…`. */
  push: "push",
  /** The code of a friend's link, for the registration. docs/product.md#invite */
  invite: "invite",
  /** When the last payment was made that the dashboard has celebrated, milliseconds UTC. */
  celebrated: "celebrated",
  /** `over` once it was installed, or refused. */
  install: "install",
} as const;

export type StorageKey = (typeof STORAGE_KEYS)[keyof typeof STORAGE_KEYS];

export function readStored(key: StorageKey): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

export function store(key: StorageKey, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    // Without storage the choice is lost with the page.
  }
}

/** Calls back when another tab of this browser has changed a value. Returns how to stop. */
export function watchOtherTabs(key: StorageKey, changed: (value: string | null) => void): () => void {
  const follow = (event: StorageEvent) => {
    if (event.key === key) changed(event.newValue);
  };
  addEventListener("storage", follow);
  return () => removeEventListener("storage", follow);
}

/** Once the first store was visited, or they were refused, they are never shown again. */
export function endFirstSteps(): void {
  store(STORAGE_KEYS.firstSteps, "over");
}

/** Deletes the session. @throws if the browser forbids it; then the session still exists */
export function forgetSession(): void {
  localStorage.removeItem(STORAGE_KEYS.token);
  localStorage.removeItem(STORAGE_KEYS.currentWallet);
}
