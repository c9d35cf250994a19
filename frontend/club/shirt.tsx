import { useId } from "react";
import type { ClubLook } from "../../core/rules/clubs/club.ts";
import { SHIRT, shirtOf } from "../../core/rules/clubs/shirt.ts";

const UNKNOWN: ReturnType<typeof shirtOf> = { cloth: "var(--sunken)", lines: [] };

type ShirtProps = { look: ClubLook | undefined; initials: string; size?: number };

/** A shirt in a club's colours, without any crest; of a club that is not known, a plain one with its initials. */
export function Shirt({ look, initials, size = 56 }: ShirtProps) {
  const id = useId();
  const { cloth, lines } = look ? shirtOf(look) : UNKNOWN;
  return (
    <svg aria-hidden="true" width={size} height={size} viewBox="0 0 64 64">
      <clipPath id={id}>
        <path d={SHIRT} />
      </clipPath>
      <g clipPath={`url(#${id})`} fill="none">
        <path d="M0 0h64v64H0z" fill={cloth} />
        {lines.map(({ colour, width, path }) => (
          <path key={path} d={path} stroke={colour} strokeWidth={width} />
        ))}
      </g>
      <path d={SHIRT} fill="none" stroke="currentColor" strokeWidth="2" />
      {!look && (
        <text x="32" y="42" textAnchor="middle" fontSize="18" fontWeight="800" fill="var(--ink-soft)">
          {initials}
        </text>
      )}
    </svg>
  );
}

/** "Paris Saint-Germain" → "PS". */
export const initialsOf = (name: string): string =>
  name
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
    .slice(0, 2)
    .map((word) => [...word][0]?.toUpperCase())
    .join("");
