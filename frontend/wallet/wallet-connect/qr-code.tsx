import { encode } from "uqr";

/** Dark on light in every theme, because many phones cannot read an inverted code. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { border: 3 });
  const squares = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ""))).join("");
  return (
    <svg className="qr-code" role="img" aria-label={label} viewBox={`0 0 ${size} ${size}`} shapeRendering="crispEdges">
      <path fill="#fff" d={`M0 0h${size}v${size}H0z`} />
      <path fill="#000" d={squares} />
    </svg>
  );
}
