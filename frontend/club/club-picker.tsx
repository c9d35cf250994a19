import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import type { ClubLook } from "../../core/rules/clubs/club.ts";
import { clubsQuery, fanTokensQuery, featuredStoresQuery } from "../api/queries.ts";
import { useText } from "../i18n/language.tsx";
import { chooseClub, useClub } from "./club.ts";

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
  const choose = (club: string) => {
    chooseClub(club);
    onDone?.();
  };
  return (
    <div className="club-picker">
      <ul>
        {offered.map((club) => (
          <li key={club}>
            <button type="button" className="club" aria-pressed={club === chosen} onClick={() => choose(club)}>
              <Shirt look={clubs?.named(club)} initials={isPending ? "" : initialsOf(club)} />
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

/** What lies on the cloth, in the second colour and the third. */
const DRAWN: Record<ClubLook["pattern"], readonly [width: number, second: string, third?: string]> = {
  plain: [7, "M0 9h64"],
  stripes: [6, "M14 0v64M28 0v64M42 0v64M56 0v64", "M21 0v64M35 0v64M49 0v64"],
  hoops: [6, "M0 20h64M0 34h64M0 48h64", "M0 27h64M0 41h64M0 55h64"],
  halves: [32, "M48 0v64"],
  sash: [9, "M10 8l44 52"],
  chest_band: [7, "M0 28h64", "M0 35h64"],
  centre_band: [14, "M32 0v64"],
};

/** A shirt in a club's colours, without any crest; of a club that is not known, a plain one with its initials. */
function Shirt({ look, initials }: { look: ClubLook | undefined; initials: string }) {
  const id = useId();
  const [first = "var(--sunken)", second, third = second] = look?.colours ?? [];
  const [width, lines, more] = DRAWN[look?.pattern ?? "plain"];
  return (
    <svg className="shirt" aria-hidden="true" width="56" height="56" viewBox="0 0 64 64">
      <clipPath id={id}>
        <path d={BODY} />
      </clipPath>
      <g clipPath={`url(#${id})`} strokeWidth={width}>
        <path d="M0 0h64v64H0z" fill={first} />
        {look && <path d={lines} stroke={second} />}
        {look && third !== second && <path d={more} stroke={third} />}
      </g>
      <path d={BODY} fill="none" stroke="currentColor" strokeWidth="2" />
      {!look && (
        <text x="32" y="42" textAnchor="middle" fontSize="18" fontWeight="800" fill="var(--ink-soft)">
          {initials}
        </text>
      )}
    </svg>
  );
}

const initialsOf = (name: string): string =>
  name
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
    .slice(0, 2)
    .map((word) => [...word][0]?.toUpperCase())
    .join("");
