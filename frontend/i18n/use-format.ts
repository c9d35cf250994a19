import { useMemo } from "react";
import { useIntl } from "react-intl";
import { CHZ_DECIMALS } from "../../core/rules/product.ts";
import { numeric } from "./numeric.ts";

const TWO_DECIMALS = { minimumFractionDigits: 2, maximumFractionDigits: 2 } as const;
const RATE_DECIMALS = { minimumFractionDigits: 2, maximumFractionDigits: 6 } as const;
const ALL_DECIMALS = { minimumFractionDigits: 2, maximumFractionDigits: CHZ_DECIMALS } as const;

const formats = new Map<string, Intl.NumberFormat>();

/** One takes longer to make than a hundred numbers to format. */
function formatOf(locale: string, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = `${locale} ${JSON.stringify(options)}`;
  const known = formats.get(key) ?? new Intl.NumberFormat(locale, options);
  formats.set(key, known);
  return known;
}

/** `2026-11-21` */
const isDay = (iso: string): boolean => iso.length === 10;

/** No line ends in a day and its month; only the year may stand in the next one. */
const inOneLine = (day: string): string =>
  day.replace(/^(.+?)( (?:de )?\d+)$/, (_, month: string, year: string) => `${bound(month)} ${bound(year.trim())}`);
const bound = (words: string): string => words.replaceAll(" ", "\u00a0");

/** Formats money, percents and dates for the user's language. Takes decimal text, without floats. */
export function useFormat() {
  const intl = useIntl();
  return useMemo(() => {
    /** With a minus, as wide as a digit, where `Intl` writes a hyphen. */
    const format = (value: string | number, options: Intl.NumberFormatOptions) =>
      formatOf(intl.locale, options).format(numeric(value)).replace("-", "−");
    const decimal = (value: string | number) => format(value, TWO_DECIMALS);
    const number = (value: string | number) => format(value, { maximumFractionDigits: 2 });
    const percent = (value: string | number) => `${number(value)}%`;
    return {
      /** Two decimals. docs/product.md#formats. */
      decimal,
      chz: (value: string | number) => `${decimal(value)} CHZ`,
      /** Every decimal, for readers who repeat the calculation. docs/product.md#formats. */
      exactChz: (value: string) => `${format(value, ALL_DECIMALS)} CHZ`,
      /** CHZ for a real, at most six decimals. docs/product.md#formats. */
      rate: (value: string) => `${format(value, RATE_DECIMALS)} CHZ`,
      brl: (reais: string | number) => format(reais, { style: "currency", currency: "BRL" }),
      /** What a unit of another currency costs, with the central bank's four decimals. */
      fxRate: (reais: string) => format(reais, { style: "currency", currency: "BRL", minimumFractionDigits: 4 }),
      /** Without trailing zeros: 5.75 → "5,75%". */
      percent,
      /** 'min%' if min equals max, else 'min% - max%'. docs/product.md#cashback-range. */
      percentRange: (min: number, max: number) => (min === max ? percent(max) : `${percent(min)} - ${percent(max)}`),
      /** At most two decimals, none for whole numbers. */
      number,
      integer: (value: number) => intl.formatNumber(value),
      /** "21 de nov. de 2026". A day without a time is that day everywhere, not midnight in Greenwich. */
      date: (iso: string) =>
        inOneLine(intl.formatDate(iso, { dateStyle: "medium", timeZone: isDay(iso) ? "UTC" : undefined })),
      /** "21/11" */
      shortDate: (iso: string | undefined) =>
        iso ? intl.formatDate(iso, { day: "2-digit", month: "2-digit", timeZone: "UTC" }) : "",
      /** "jun." */
      month: (iso: string | undefined) => (iso ? intl.formatDate(iso, { month: "short" }) : ""),
      /** "junho de 2026" */
      monthAndYear: (iso: string) => intl.formatDate(iso, { month: "long", year: "numeric" }),
      /** "14:32" */
      time: (iso: string) => intl.formatDate(iso, { timeStyle: "short" }),
      /** "21 de nov. de 2026, 14:32" */
      dateTime: (iso: string) =>
        `${inOneLine(intl.formatDate(iso, { dateStyle: "medium" }))}, ${intl.formatDate(iso, { timeStyle: "short" })}`,
    };
  }, [intl]);
}
