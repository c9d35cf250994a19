import type { Ground } from "../../core/rules/clubs/club-colours.ts";
import { sharedValue } from "../app/shared-value.ts";
import { readStored, STORAGE_KEYS, store } from "../app/storage.ts";

/** The user's club; empty if the question was skipped, undefined before it was asked. */
const club = sharedValue<string | undefined>(STORAGE_KEYS.club, (stored) => stored ?? undefined, showClub);

/** Remembers the club on this device; its colours follow (`keepColours`). */
export function chooseClub(name: string): void {
  store(STORAGE_KEYS.clubColours, null);
  club.set(name);
}

/** Colours stubs and stands as the chosen club is known to look; a club that is not known, as the brand. */
export function keepColours(of: Ground | undefined): void {
  store(STORAGE_KEYS.clubColours, of ? `${of.ground} ${of.ink} ${of.mark}` : null);
  showClub();
}

/** Sets the variables of `frontend/design/tokens.css`; those that are not set are the brand's. */
export function showClub(): void {
  const { style } = document.documentElement;
  const kept = (club.current() && readStored(STORAGE_KEYS.clubColours)) || "";
  const [ground = "", ink = "", mark = ""] = KEPT.test(kept) ? kept.split(" ") : [];
  style.setProperty("--accent", ground);
  style.setProperty("--on-accent", ink);
  style.setProperty("--on-accent-soft", ink);
  style.setProperty("--accent-line", ground && `color-mix(in srgb, ${ink} 18%, ${ground})`);
  style.setProperty("--accent-mark", mark);
}

const KEPT = /^#[\da-f]{6}( #[\da-f]{6}){2}$/;

export const useClub = club.use;
