import { readFileSync, statSync } from "node:fs";
import { z } from "zod";
import { codeOf } from "../rules/unknown-error.ts";
import type { WalletAddress } from "../rules/wallet-address.ts";
import { address, privateKey, readUrl } from "./environment.ts";
import { addressOfKey } from "./known-keys.ts";

/** The signer of transactions: a key in this process, or a signing service. docs/product.md#signers */
export type Signer =
  | { kind: "key"; address: WalletAddress; privateKey: `0x${string}` }
  | { kind: "service"; address: WalletAddress; url: string };

const OTHERS_MODE = 0o077;

/** Looks like a private key: never repeat it in a message, whatever the variable. */
const A_KEY = /^((0x)?[0-9a-f]{64}|[\w-]{43})$/i;

/** A file with a key that only its owner can read; `read` is undefined of a text that is none. */
export const fileWith = <Key>(what: string, read: (text: string) => Key | undefined) =>
  z.string().transform((path, context): Key => {
    const refuse = (message: string) => {
      context.addIssue({ code: "custom", message });
      return z.NEVER;
    };
    if (A_KEY.test(path)) return refuse("must be the path of a file, not the key itself");
    let text: string;
    try {
      if ((statSync(path).mode & OTHERS_MODE) !== 0) {
        return refuse(`${path} may be read by other users: run chmod 600 ${path}`);
      }
      text = readFileSync(path, "utf8").trim();
    } catch (error) {
      return refuse(`${path} cannot be read (${codeOf(error) ?? String(error)})`);
    }
    return read(text) ?? refuse(`${path} does not hold ${what}`);
  });

/** A file with a private key that only its owner can read. */
export const keyFile = fileWith(
  "a private key: 0x and 64 hexadecimal digits",
  (text) => privateKey.safeParse(text.startsWith("0x") ? text : `0x${text}`).data,
);

const serviceUrl = z
  .string()
  .refine((text) => readUrl(["https:", "http:"])(text) !== undefined, "must be an http:// or https:// address");

/** The prefix of a signer's variables. */
export type Prefix = "OPERATOR" | "MINTER" | "CONFIRMER" | "PAYER";
type Fields = {
  PRIVATE_KEY: z.ZodOptional<typeof privateKey>;
  KEY_FILE: z.ZodOptional<typeof keyFile>;
  SIGNER_URL: z.ZodOptional<typeof serviceUrl>;
  ADDRESS: z.ZodOptional<typeof address>;
};
export type SignerVariables<P extends Prefix> = {
  [Name in keyof Fields & string as `${P}_${Name}`]: Fields[Name];
};

/** A signer of one of three kinds. A service also needs the address of its key; elsewhere the address is checked. */
export function signerVariables<P extends Prefix>(prefix: P): SignerVariables<P> {
  return {
    [`${prefix}_PRIVATE_KEY`]: privateKey.optional(),
    [`${prefix}_KEY_FILE`]: keyFile.optional(),
    [`${prefix}_SIGNER_URL`]: serviceUrl.optional(),
    [`${prefix}_ADDRESS`]: address.optional(),
    // TypeScript types a computed key as any text.
  } as SignerVariables<P>;
}

export type SignerValues = {
  prefix: Prefix;
  key: `0x${string}` | undefined;
  url: string | undefined;
  address: WalletAddress | undefined;
  /** The mutually exclusive variables that are set, valid or not. */
  ways: readonly string[];
};

/** Reads one signer from parsed variables; `wrong` names the invalid ones. */
export function signerValues(
  prefix: Prefix,
  values: Partial<z.output<z.ZodObject<SignerVariables<Prefix>>>>,
  wrong: ReadonlySet<string> = new Set(),
): SignerValues {
  const names = [`${prefix}_PRIVATE_KEY`, `${prefix}_KEY_FILE`, `${prefix}_SIGNER_URL`] as const;
  const [key, keyFile, url] = names;
  return {
    prefix,
    key: values[key] ?? values[keyFile],
    url: values[url],
    address: values[`${prefix}_ADDRESS`],
    ways: names.filter((name) => values[name] !== undefined || wrong.has(name)),
  };
}

/** The account of a signer; undefined if none is set. */
export function accountOf({ key, address }: SignerValues): WalletAddress | undefined {
  return key === undefined ? address : addressOfKey(key);
}

/** The signer; undefined if none is set. */
export function signerOf({ key, url, address }: SignerValues): Signer | undefined {
  if (key !== undefined) return keySigner(key);
  return url !== undefined && address !== undefined ? { kind: "service", address, url } : undefined;
}

export function keySigner(key: `0x${string}`): Signer {
  return { kind: "key", address: addressOfKey(key), privateKey: key };
}
