/** A name is paid for with a jump: which functions have not earned theirs. docs/architecture.md#names */
import type { Declared, Functions } from "./functions.ts";

/** Lines of a private function that reads as well where it is used. */
const SHORT = 6;

/**
 * `exported`: with one caller, no rule of docs/product.md and no test of their own; `private`: short, with one caller.
 * `elsewhere`: the text of all tests, and of the web app, which is a program of its own.
 */
export function unearnedNames(functions: Functions, elsewhere: string): { exported: Declared[]; private: Declared[] } {
  const named = new Set(elsewhere.match(/\b\w+\b/g));
  const once = functions.declared().filter(({ uses }) => uses < 2);
  return {
    exported: once.filter((one) => {
      const isRule = functions.documentationOf(one).includes("docs/product.md#");
      return one.isExported && !isRule && !named.has(one.name);
    }),
    private: once.filter(({ isExported, from, to }) => !isExported && to - from < SHORT),
  };
}
