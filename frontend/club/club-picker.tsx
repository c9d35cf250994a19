import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { clubsQuery, fanTokensQuery, featuredStoresQuery } from "../api/queries.ts";
import { paths } from "../app/paths.ts";
import { useText } from "../i18n/language.tsx";
import { chooseClub, useClub } from "./club.ts";
import style from "./club-picker.module.css";
import { initialsOf, Shirt } from "./shirt.tsx";

function useOffered(): string[] {
  const { data: stores } = useQuery(featuredStoresQuery);
  const { data: tokens = [] } = useQuery(fanTokensQuery);
  const names = [...(stores?.filters.club ?? []), ...tokens.map((token) => token.name)].filter(Boolean);
  return [...new Map(names.map((name) => [name.toLowerCase(), name])).values()].sort(
    new Intl.Collator("pt-BR").compare,
  );
}

/** One tap on a shirt; it can be skipped. */
export default function ClubPicker({ onDone }: { onDone?: () => void }) {
  const t = useText();
  const offered = useOffered();
  const { data: clubs, isPending } = useQuery(clubsQuery);
  const chosen = useClub();
  const own = chosen ? clubs?.named(chosen) : undefined;
  const choose = (club: string) => {
    chooseClub(club);
    onDone?.();
  };
  return (
    <div className={style.picker}>
      <ul>
        {offered.map((club) => (
          <li key={club}>
            <button type="button" className={style.club} aria-pressed={club === chosen} onClick={() => choose(club)}>
              <Shirt look={clubs?.named(club)} initials={isPending ? "" : initialsOf(club)} />
              <span>{club}</span>
            </button>
          </li>
        ))}
      </ul>
      {own && (
        <p>
          <Link className="link" to={paths.club(own.slug)} onClick={() => onDone?.()}>
            {t("club.page", { club: own.name })}
          </Link>
        </p>
      )}
      <button type="button" className="link" onClick={() => choose("")}>
        {t(chosen ? "club.none" : "club.skip")}
      </button>
    </div>
  );
}
