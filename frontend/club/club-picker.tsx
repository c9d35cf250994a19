import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import { fanTokensQuery, featuredStoresQuery } from "../api/queries.ts";
import { useText } from "../i18n/language.tsx";
import { chooseClub, useClub } from "./club.ts";
import { coloursOf, css } from "./club-colours.ts";

function useClubs(): string[] {
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
  const clubs = useClubs();
  const chosen = useClub();
  const choose = (club: string) => {
    chooseClub(club);
    onDone?.();
  };
  return (
    <div className="club-picker">
      <ul>
        {clubs.map((club) => (
          <li key={club}>
            <button type="button" className="club" aria-pressed={club === chosen} onClick={() => choose(club)}>
              <Shirt club={club} />
              <span>{club}</span>
            </button>
          </li>
        ))}
      </ul>
      <button type="button" className="link" onClick={() => choose("")}>
        {t(chosen ? "club.none" : "club.skip")}
      </button>
    </div>
  );
}

const BODY = "M20 8l-14 8 5 14 7-3v29h28V27l7 3 5-14-14-8c-3 6-21 6-24 0z";

/** A shirt in a club's colours, without any crest. */
export function Shirt({ club, size = 56 }: { club: string; size?: number }) {
  const id = useId();
  const { first, second, pattern } = coloursOf(club);
  return (
    <svg className="shirt" aria-hidden="true" width={size} height={size} viewBox="0 0 64 64">
      <clipPath id={id}>
        <path d={BODY} />
      </clipPath>
      <g clipPath={`url(#${id})`}>
        <path d="M0 0h64v64H0z" fill={css(first)} />
        {pattern === "stripes" && <path d="M14 0v64M28 0v64M42 0v64M56 0v64" stroke={css(second)} strokeWidth="6" />}
        {pattern === "hoops" && <path d="M0 20h64M0 34h64M0 48h64" stroke={css(second)} strokeWidth="6" />}
        {pattern === "halves" && <path d="M26 0h12v64H26z" fill={css(second)} />}
        {pattern === "plain" && <path d="M0 6h64v7H0z" fill={css(second)} />}
      </g>
      <path d={BODY} fill="none" stroke="currentColor" strokeWidth="2" />
    </svg>
  );
}
