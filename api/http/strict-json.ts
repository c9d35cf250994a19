import { TorcidaError } from "../../domain/torcida-error.ts";

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
  refuseDeepNesting(text);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new StrictJsonError("The body is not valid JSON");
  }
  refuseAmbiguousKeys(text);
  if (text.includes("\\u0000")) refuseNul(value);
  return value;
}

function refuseDeepNesting(text: string): void {
  let depth = 0;
  let isInString = false;
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (isInString) {
      if (character === "\\") index++;
      else if (character === '"') isInString = false;
    } else if (character === '"') isInString = true;
    else if (character === "{" || character === "[") {
      depth++;
      if (depth > MAXIMUM_DEPTH) throw new StrictJsonError(`The body is nested deeper than ${MAXIMUM_DEPTH} levels`);
    } else if (character === "}" || character === "]") depth--;
  }
}

/** The text is valid JSON, so a string is a key exactly if a colon follows it. */
function refuseAmbiguousKeys(text: string): void {
  const open: (Set<string> | undefined)[] = [];
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (character === "{") open.push(new Set());
    else if (character === "[") open.push(undefined);
    else if (character === "}" || character === "]") open.pop();
    else if (character === '"') {
      const end = endOfString(text, index);
      if (/^\s*:/.test(text.slice(end + 1, end + 64)))
        noteKey(open.at(-1), String(JSON.parse(text.slice(index, end + 1))));
      index = end;
    }
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
