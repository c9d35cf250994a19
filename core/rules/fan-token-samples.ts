/** PSG and VERDAO. docs/product.md#samples. */
export type SampleFanToken = { name: string; slug: string; symbol: string; image: string };

export const SAMPLE_FAN_TOKENS: readonly SampleFanToken[] = [
  { name: "Paris Saint-Germain", slug: "psg", symbol: "PSG", image: "" },
  { name: "Palmeiras", slug: "verdao", symbol: "VERDAO", image: "" },
];
