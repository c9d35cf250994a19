import { useId } from "react";
import { drawnMark } from "../../core/rules/store-mark.ts";
import type { Store } from "../api/shapes.ts";
import { useClubOf } from "../club/use-clubs.ts";
import { Picture } from "./picture.tsx";

type Marked = Pick<Store, "id" | "name" | "logo"> & Partial<Pick<Store, "clubSlug">>;

/** A store's logo, or a generated mark with its own shape, in the colours of its club. */
export function StoreMark({ store, size = 56 }: { store: Marked; size?: number }) {
  return <Picture src={store.logo} alt="" className="logo-image" fallback={<DrawnMark store={store} size={size} />} />;
}

function DrawnMark({ store, size }: { store: Marked; size: number }) {
  const id = useId();
  const { shape, pattern, fill, stroke, ink, letter } = drawnMark(store.name, useClubOf(store.clubSlug));
  return (
    <svg aria-hidden="true" width={size} height={size} viewBox="0 0 64 64">
      <clipPath id={id}>
        <path d={shape} />
      </clipPath>
      <path d={shape} fill={fill} stroke={ink} strokeOpacity=".35" />
      <path clipPath={`url(#${id})`} d={pattern} fill="none" stroke={stroke} strokeWidth="5" opacity=".5" />
      <text
        {...{ x: 32, y: 42, textAnchor: "middle", fontSize: 30, fontWeight: 800, fill: ink }}
        {...{ stroke: fill, strokeWidth: 7, paintOrder: "stroke" }}
      >
        {letter}
      </text>
    </svg>
  );
}
