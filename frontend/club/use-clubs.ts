import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { clubsQuery } from "../api/queries.ts";
import { keepColours, useClub } from "./club.ts";

/** A store's club; undefined if it has none, or none that is known. */
export const useClubOf = (slug: string | undefined) =>
  useQuery({ ...clubsQuery, enabled: Boolean(slug) }).data?.ofSlug(slug ?? "");

/** Colours the page as the user's club looks today; until that is known, as it looked before. */
export function useClubColours(): void {
  const club = useClub();
  const { data: clubs } = useQuery({ ...clubsQuery, enabled: Boolean(club) });
  useEffect(() => {
    if (club && clubs) keepColours(clubs.named(club));
  }, [club, clubs]);
}
