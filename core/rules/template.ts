import { escapeHtml } from "./text.ts";

/** HTML with named places, in turns: text, name, text, name, text. */
export type Template = readonly string[];

/** Of a text whose places are written `{{name}}`. @throws if a bracket has no counterpart */
export function templateOf(text: string): Template {
  return text.split("{{").flatMap((part, index) => {
    const [name = "", ...rest] = part.split("}}");
    if (rest.length !== Math.min(index, 1)) throw new Error(`A place without its end: ${part.slice(0, 60)}`);
    return [name, ...rest];
  });
}

/** What stands in a place: text, which is escaped, or HTML. */
export type Filling = Readonly<Record<string, string | { html: string }>>;

/** The HTML of a template. @throws if it has a place that is not filled */
export function fill(template: Template, filling: Filling): string {
  const filled = template.map((part, index) => {
    if (index % 2 === 0) return part;
    const value = filling[part];
    if (value === undefined) throw new Error(`Nothing fills the place ${part} of the page`);
    return typeof value === "string" ? escapeHtml(value) : value.html;
  });
  return filled.join("");
}
