import { readFileSync, statSync } from "node:fs";
import { z } from "zod";
import type { Network } from "../domain/networks.ts";
import type { WalletAddress } from "../domain/wallet-address.ts";
import { address, type Problem, privateKey, readUrl } from "./environment.ts";
import { addressOfKey, isKnownKey, KNOWN_ADDRESSES, LOCAL_TEST_KEY } from "./known-keys.ts";

/** The signer of transactions: a key in this process, or a signing service. docs/product.md#signers */
export type Signer =
  | { kind: "key"; address: WalletAddress; privateKey: `0x${string}` }
  | { kind: "service"; address: WalletAddress; url: string };

const OTHERS_MODE = 0o077;

/** A file with a private key that only its owner can read. */
const keyFile = z.string().transform((path, context): `0x${string}` => {
  const refuse = (message: string) => {
    context.addIssue({ code: "custom", message });
    return z.NEVER;
  };
  let text: string;
  try {
    if ((statSync(path).mode & OTHERS_MODE) !== 0) {
      return refuse(`${path} may be read by other users: run chmod 600 ${path}`);
    }
    text = readFileSync(path, "utf8").trim();
  } catch (error) {
    return refuse(`${path} cannot be read (${(error as NodeJS.ErrnoException).code ?? String(error)})`);
  }
  const key = privateKey.safeParse(text.startsWith("0x") ? text : `0x${text}`);
  return key.success ? key.data : refuse(`${path} does not hold a private key: 0x and 64 hexadecimal digits`);
});

const serviceUrl = z
  .string()
  .refine((text) => readUrl(["https:", "http:"])(text) !== undefined, "must be an http:// or https:// address");

/** The operator's signer, one of three kinds. A service also needs the address of its key. */
export const SIGNER_VARIABLES = {
  OPERATOR_PRIVATE_KEY: privateKey.optional(),
  OPERATOR_KEY_FILE: keyFile.optional(),
  OPERATOR_SIGNER_URL: serviceUrl.optional(),
  OPERATOR_ADDRESS: address.optional(),
};

type SignerValues = Partial<z.output<z.ZodObject<typeof SIGNER_VARIABLES>>>;
const WAYS = ["OPERATOR_PRIVATE_KEY", "OPERATOR_KEY_FILE", "OPERATOR_SIGNER_URL"] as const;

/** The configured signer; on the local chain, by default, anvil's first account. */
export function signerOf(values: SignerValues): Signer {
  const key = values.OPERATOR_PRIVATE_KEY ?? values.OPERATOR_KEY_FILE;
  if (key === undefined && values.OPERATOR_SIGNER_URL !== undefined && values.OPERATOR_ADDRESS !== undefined) {
    return { kind: "service", address: values.OPERATOR_ADDRESS, url: values.OPERATOR_SIGNER_URL };
  }
  return keySigner(key ?? LOCAL_TEST_KEY);
}

export function keySigner(key: `0x${string}`): Signer {
  return { kind: "key", address: addressOfKey(key), privateKey: key };
}

/** Contradictions between the operator's variables. */
export function signerProblems(network: Network, values: SignerValues, wrong: ReadonlySet<string>): Problem[] {
  const [first, second] = WAYS.filter((way) => values[way] !== undefined || wrong.has(way));
  const key = values.OPERATOR_PRIVATE_KEY ?? values.OPERATOR_KEY_FILE;
  const isPublic = network !== "localhost";
  const isKnown =
    (key !== undefined && isKnownKey(key)) ||
    (values.OPERATOR_ADDRESS !== undefined && KNOWN_ADDRESSES.has(values.OPERATOR_ADDRESS));
  const problems: [boolean, string, string][] = [
    [
      first === undefined && isPublic,
      "OPERATOR_PRIVATE_KEY",
      "is missing: set the key that mints, confirms and pays on this chain, or OPERATOR_KEY_FILE, or OPERATOR_SIGNER_URL",
    ],
    [second !== undefined, second ?? "", `must not be set beside ${first}: one signer signs`],
    [
      isKnown && isPublic,
      first ?? "OPERATOR_ADDRESS",
      "is a test key that everyone knows: use one of your own on a public chain",
    ],
    [
      first === "OPERATOR_SIGNER_URL" && values.OPERATOR_ADDRESS === undefined && !wrong.has("OPERATOR_ADDRESS"),
      "OPERATOR_ADDRESS",
      "is missing: the account that OPERATOR_SIGNER_URL signs for",
    ],
    [
      key !== undefined && values.OPERATOR_ADDRESS !== undefined && addressOfKey(key) !== values.OPERATOR_ADDRESS,
      "OPERATOR_ADDRESS",
      `is not the account of ${first}`,
    ],
  ];
  return problems.filter(([isWrong]) => isWrong).map(([, variable, message]) => ({ variable, message }));
}
