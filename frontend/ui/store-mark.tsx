import { useId } from "react";
import { drawnMark } from "../../core/rules/store-mark.ts";
import type { Store } from "../api/shapes.ts";
import { Picture } from "./picture.tsx";

/** A store's logo, or a generated mark with its own shape and colours. */
export function StoreMark({ store, size = 56 }: { store: Pick<Store, "id" | "name" | "logo">; size?: number }) {
  return (
    <Picture src={store.logo} alt="" className="logo-image" fallback={<DrawnMark name={store.name} size={size} />} />
  );
}

function DrawnMark({ name, size }: { name: string; size: number }) {
  const id = useId();
  const { shape, pattern, fill, stroke, letter } = drawnMark(name);
  return (
    <svg className="store-mark" aria-hidden="true" width={size} height={size} viewBox="0 0 64 64">
      <clipPath id={id}>
        <path d={shape} />
      </clipPath>
      <path d={shape} fill={fill} />
      <path clipPath={`url(#${id})`} d={pattern} fill="none" stroke={stroke} strokeWidth="5" opacity=".5" />
      <text x="32" y="42" textAnchor="middle" fontSize="30" fontWeight="800" fill="#fff">
        {letter}
      </text>
    </svg>
  );
}
