/** The parts used for link pictures; its own types require browser types. */
declare module "@resvg/resvg-wasm" {
  type Options = { font: { fontBuffers: Uint8Array[]; defaultFontFamily: string } };
  export function initWasm(module: Uint8Array): Promise<void>;
  export class Resvg {
    constructor(svg: string, options: Options);
    render(): { asPng(): Uint8Array };
    free(): void;
  }
}
