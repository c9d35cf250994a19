const SEMANTIC_VERSION = /^(\d+)\.(\d+)\.(\d+)$/;

/** Why a version cannot be released; undefined if it can. `tags` are those of earlier releases, such as v1.2.0. */
export function versionMistake(version: string, tags: readonly string[]): string | undefined {
  const wanted = numbersOf(version);
  if (!wanted) return `${version || "--version"} is not a version such as 1.2.0`;
  const released = tags.filter((tag) => numbersOf(tag.slice(1)) !== undefined);
  const highest = released.toSorted((a, b) => compare(numbersOf(a.slice(1)), numbersOf(b.slice(1)))).at(-1);
  if (highest === undefined || compare(wanted, numbersOf(highest.slice(1))) > 0) return undefined;
  return `${version} is not above ${highest}, which is released: choose a higher version`;
}

function numbersOf(version: string): number[] | undefined {
  return SEMANTIC_VERSION.exec(version)?.slice(1).map(Number);
}

function compare(one: number[] = [], other: number[] = []): number {
  const difference = one.findIndex((number, index) => number !== other[index]);
  return difference < 0 ? 0 : (one[difference] ?? 0) - (other[difference] ?? 0);
}
