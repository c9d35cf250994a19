import { useQuery } from "@tanstack/react-query";
import { clubsQuery } from "../api/queries.ts";
import { initialsOf, Shirt } from "../club/shirt.tsx";
import { useText } from "../i18n/language.tsx";

/** A club with its shirt, as the title of its page in the album; undefined: of the stores without one. */
export default function AlbumClub({ slug }: { slug: string | undefined }) {
  const t = useText();
  const { data: clubs } = useQuery({ ...clubsQuery, enabled: slug !== undefined });
  const look = clubs?.ofSlug(slug ?? "");
  const name = look?.name ?? slug ?? t("album.noClub");
  return (
    <>
      <Shirt look={look} initials={slug === undefined ? "" : initialsOf(name)} size={36} />
      {name}
    </>
  );
}
