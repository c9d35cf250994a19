import type { ClubLook } from "../../core/rules/clubs/club.ts";
import { STANDS, standsOf } from "../../core/rules/clubs/stands.ts";
import style from "./stands.module.css";

/** The club's fans, who hold up its colours: the same drawing as the club's picture for sharing. */
export function ClubStands({ look }: { look: ClubLook }) {
  return (
    <svg
      className={style.stands}
      aria-hidden="true"
      preserveAspectRatio="xMidYMax slice"
      viewBox={`0 0 ${STANDS.width} ${STANDS.height}`}
    >
      <path d={`M0 0h${STANDS.width}v${STANDS.height}H0z`} fill={STANDS.concrete} />
      {standsOf(look).map(({ colour, path }) => (
        <path key={colour} d={path} fill={colour} />
      ))}
    </svg>
  );
}
