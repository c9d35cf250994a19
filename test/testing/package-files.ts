import { join } from "node:path";

/** Where a test run keeps the packages that `bundle-packages.ts` has put into one file each. */
export const PACKAGES = join(import.meta.dirname, "../../data/packages");

/** The file of a package's entry such as `viem/accounts`. */
export const fileOf = (entry: string) => `${entry.replaceAll("/", "--")}.js`;
