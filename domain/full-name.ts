/** Trims and collapses whitespace, then splits at the first space: "Ana" / "Maria Silva". docs/product.md#full-name. */
export function splitFullName(fullName: string): { firstName: string; lastName: string } {
  const [firstName = "", ...rest] = fullName.trim().split(/\s+/);
  return { firstName, lastName: rest.join(" ") };
}

/** First and last name joined by a space. docs/product.md#full-name */
export function joinFullName(firstName: string, lastName: string): string {
  return `${firstName} ${lastName}`.trim();
}
