import { useSyncExternalStore } from "react";
import { readStored, STORAGE_KEYS, store } from "../app/storage.ts";
import { accentOf, css } from "./club-colours.ts";

/** The user's club; empty if the question was skipped, undefined before it was asked. */
let club: string | undefined = readStored(STORAGE_KEYS.club) ?? undefined;
const listeners = new Set<() => void>();

/** Remembers the club on this device and colours stubs and stands with it. */
export function chooseClub(name: string): void {
  club = name;
  store(STORAGE_KEYS.club, name);
  showClub();
  for (const listener of listeners) listener();
}

export function showClub(): void {
  const { style } = document.documentElement;
  if (club) style.setProperty("--accent", css(accentOf(club)));
  else style.removeProperty("--accent");
}

export function useClub(): string | undefined {
  return useSyncExternalStore(
    (changed) => {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
    () => club,
  );
}
