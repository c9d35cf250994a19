/** How networks, browsers and mail programs write a name in a link: in any case, and percent-encoded, also twice. */
const NAME = /(?:\{|%(?:25)*7B)\s*(click|url)\s*(?:\}|%(?:25)*7D)/gi;
/** A name of somebody else's: nothing fills it, and buyers would leave with it as it stands. */
const LEFT_OVER = /[{}]|%(?:25)*7[BD]|\[\[|!!!/i;

/**
 * A store's link as it is kept: `{click}` and `{url}`, however they were written. docs/product.md#sales-links
 * @example
 * linkTemplate("https://go.example/?c=%7BCLICK%7D") // "https://go.example/?c={click}"
 */
export const linkTemplate = (text: string): string =>
  text.replace(NAME, (_, name) => `{${String(name).toLowerCase()}}`);

/** Whether nothing is left in a link to be filled but `{click}` and `{url}`. docs/product.md#sales-links */
export const isFillable = (text: string): boolean =>
  !LEFT_OVER.test(linkTemplate(text).replace(/\{(?:click|url)\}/g, ""));
