/** Decimal text as `Intl.NumberFormat` takes it, without a float in between; NaN if it is not a number. */
export function numeric(value: string | number): number | `${number}` {
  if (typeof value === "number") return value;
  return isNumeric(value) ? value : Number.NaN;
}

const isNumeric = (text: string): text is `${number}` => !Number.isNaN(Number(text));
