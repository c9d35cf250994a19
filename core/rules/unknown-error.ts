/** What a caught value says: whatever was thrown, its message. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The same; of an error of `fetch`, which says only that it failed, why. */
export function reasonOf(error: unknown): string {
  return messageOf(error instanceof Error && error.cause instanceof Error ? error.cause : error);
}

/** The same; of an error of viem only what happened, without the node's URL, which may contain a provider's key. */
export function shortMessageOf(error: unknown): string {
  return textOf(error, "shortMessage") ?? messageOf(error);
}

/** The same with viem's details, such as the node's own message. */
export function explanationOf(error: unknown): string {
  return `${shortMessageOf(error)} ${textOf(error, "details") ?? ""}`.trim();
}

const LONGEST_TEXT = 300;

/** The words of a stranger, in one bounded line of printable characters. */
export function shortened(words: string): string {
  const line = words.replaceAll(/[\p{C}\p{Z}]+/gu, " ").trim() || "no reason given";
  return line.length > LONGEST_TEXT ? `${line.slice(0, LONGEST_TEXT - 1).toWellFormed()}…` : line;
}

/** The code of an error of the operating system or the database, such as `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  return textOf(error, "code");
}

function textOf(error: unknown, name: "code" | "details" | "shortMessage"): string | undefined {
  const value: unknown = error instanceof Error ? Reflect.get(error, name) : undefined;
  return typeof value === "string" ? value : undefined;
}
