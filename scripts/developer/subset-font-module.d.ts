declare module "subset-font" {
  type Axis = { min: number; max: number; default: number };
  export default function subsetFont(
    font: Buffer,
    text: string,
    options: { targetFormat: "woff2" | "truetype"; variationAxes?: Record<string, Axis | number> },
  ): Promise<Buffer>;
}
