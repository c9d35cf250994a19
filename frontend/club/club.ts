import { sharedValue } from "../app/shared-value.ts";
import { STORAGE_KEYS } from "../app/storage.ts";
import { accentOf, css } from "./club-colours.ts";

/** The user's club; empty if the question was skipped, undefined before it was asked. */
const club = sharedValue<string | undefined>(STORAGE_KEYS.club, (stored) => stored ?? undefined, showClub);

/** Remembers the club on this device and colours stubs and stands with it. */
export const chooseClub = club.set;

export function showClub(name: string | undefined = club.current()): void {
  const { style } = document.documentElement;
  if (name) style.setProperty("--accent", css(accentOf(name)));
  else style.removeProperty("--accent");
}

export const useClub = club.use;
