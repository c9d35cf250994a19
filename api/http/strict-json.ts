import { TorcidaError } from "../../core/rules/torcida-error.ts";

export class StrictJsonError extends TorcidaError {
  override readonly docs = "docs/product.md#limit-connections";
}

const MAXIMUM_DEPTH = 32;
const FORBIDDEN_KEYS = new Set(["__proto__", "constructor", "prototype"]);

/**
 * Parses JSON, and rejects anything that parsers may interpret differently or that only an attack contains: duplicate
 * keys, keys of prototypes, deep nesting, and the character NUL, which PostgreSQL cannot store.
 * @throws StrictJsonError
 */
export function parseStrictJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new StrictJsonError("The body is not valid JSON");
  }
  refuseAmbiguity(text);
  if (text.includes("\\u0000")) refuseNul(value);
  return value;
}

/** The text is valid JSON, so a colon outside of strings stands after a key, which is the last string before it. */
function refuseAmbiguity(text: string): void {
  /** The keys so far of each open object; undefined for an array. */
  const open: (Set<string> | undefined)[] = [];
  let lastString = "";
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (character === '"') {
      const end = endOfString(text, index);
      lastString = text.slice(index, end + 1);
      index = end;
    } else if (character === "{" || character === "[") {
      open.push(character === "{" ? new Set() : undefined);
      if (open.length > MAXIMUM_DEPTH)
        throw new StrictJsonError(`The body is nested deeper than ${MAXIMUM_DEPTH} levels`);
    } else if (character === "}" || character === "]") open.pop();
    else if (character === ":") noteKey(open.at(-1), String(JSON.parse(lastString)));
  }
}

function noteKey(keys: Set<string> | undefined, key: string): void {
  if (FORBIDDEN_KEYS.has(key)) throw new StrictJsonError(`The body has a key that is not allowed: ${key}`);
  if (keys?.has(key)) throw new StrictJsonError(`The body has the key ${JSON.stringify(key.slice(0, 40))} twice`);
  keys?.add(key);
}

function refuseNul(value: unknown): void {
  if (typeof value === "string" && value.includes("\0")) {
    throw new StrictJsonError("The body has a text with the character NUL");
  }
  if (typeof value === "object" && value !== null) Object.entries(value).flat().forEach(refuseNul);
}

function endOfString(text: string, start: number): number {
  for (let index = start + 1; index < text.length; index++) {
    if (text[index] === "\\") index++;
    else if (text[index] === '"') return index;
  }
  return text.length;
}
