import type { z } from "zod";
import type { Network } from "../rules/networks.ts";
import { recordOf } from "../rules/records.ts";
import type { WalletAddress } from "../rules/wallet-address.ts";
import { list, type Problem } from "./environment.ts";
import { addressOfKey, isKnownKey, KNOWN_ADDRESSES, LOCAL_TEST_KEY } from "./known-keys.ts";
import {
  accountOf,
  keySigner,
  type Prefix,
  type Signer,
  type SignerValues,
  signerOf,
  signerValues,
  signerVariables,
} from "./signer.ts";

/** The server's keys. Minter, confirmer and payer use the operator's key unless they have their own. */
export const KEY_NAMES = ["operator", "minter", "confirmer", "payer"] as const;
export type KeyName = (typeof KEY_NAMES)[number];

/** A signing wallet, named after its first role. docs/product.md#signers */
export type SigningKey = {
  name: KeyName;
  parts: readonly KeyName[];
  address: WalletAddress;
  /** Undefined if another process signs with it. */
  signer: Signer | undefined;
};

const PREFIX = {
  operator: "OPERATOR",
  minter: "MINTER",
  confirmer: "CONFIRMER",
  payer: "PAYER",
} as const satisfies Record<KeyName, Prefix>;

const isKeyName = (text: string): text is KeyName => KEY_NAMES.some((name) => name === text);
const NONE = "none";

export const KEY_VARIABLES = {
  ...signerVariables("OPERATOR"),
  ...signerVariables("MINTER"),
  ...signerVariables("CONFIRMER"),
  ...signerVariables("PAYER"),
  SENDER_KEYS: list(
    (item) => (isKeyName(item) || item === NONE ? item : undefined),
    `must be ${KEY_NAMES.join(", ")}, comma separated, or ${NONE}`,
  ).optional(),
};

type KeyValues = Partial<z.output<z.ZodObject<typeof KEY_VARIABLES>>>;

function signs(name: KeyName, { SENDER_KEYS: chosen }: KeyValues): boolean {
  return chosen === undefined || chosen.includes(name);
}

/** The account of a key; the operator's if it has none of its own. */
export function accountOfKey(name: KeyName, values: KeyValues): WalletAddress | undefined {
  return (
    accountOf(signerValues(PREFIX[name], values)) ??
    (name === "operator" ? undefined : accountOfKey("operator", values))
  );
}

/** The configured keys, the operator's first. On the local chain that defaults to anvil's first account. */
export function signingKeys(values: KeyValues): SigningKey[] {
  const keys: (SigningKey & { parts: KeyName[] })[] = [];
  for (const name of KEY_NAMES) {
    const set = signerValues(PREFIX[name], values);
    const signer =
      signerOf(set) ?? (name === "operator" && set.address === undefined ? keySigner(LOCAL_TEST_KEY) : undefined);
    const address = signer?.address ?? set.address ?? keys[0]?.address;
    const same = keys.find((key) => key.address === address);
    if (same) same.parts.push(name);
    else if (address) keys.push({ name, parts: [name], address, signer: signs(name, values) ? signer : undefined });
  }
  return keys;
}

/** Contradictions between the variables of the keys. */
export function keyProblems(network: Network, values: KeyValues, wrong: ReadonlySet<string>): Problem[] {
  const isPublic = network !== "localhost";
  const sets = recordOf(KEY_NAMES, (name) => signerValues(PREFIX[name], values, wrong));
  const problems = KEY_NAMES.flatMap((name) => signerProblems(sets[name], { isPublic, wrong }));
  if (wrong.has("SENDER_KEYS")) return problems;
  return [
    ...problems,
    ...(isPublic ? missingOperator(values, sets, wrong) : []),
    ...missingKeys(values, sets),
    ...wrongChoice(values, sets),
  ];
}

/** Contradictions between the variables of one signer. */
function signerProblems(
  { prefix, key, address, ways }: SignerValues,
  { isPublic, wrong }: { isPublic: boolean; wrong: ReadonlySet<string> },
): Problem[] {
  const [first, second] = ways;
  const addressVariable = `${prefix}_ADDRESS`;
  const isKnown = (key !== undefined && isKnownKey(key)) || (address !== undefined && KNOWN_ADDRESSES.has(address));
  const problems: [boolean, string, string][] = [
    [second !== undefined, second ?? "", `must not be set together with ${first}: use one signer`],
    [
      isKnown && isPublic,
      first ?? addressVariable,
      "is a test key that everyone knows: use one of your own on a public chain",
    ],
    [
      first === `${prefix}_SIGNER_URL` && address === undefined && !wrong.has(addressVariable),
      addressVariable,
      `is missing: the account that ${first} signs for`,
    ],
    [
      key !== undefined && address !== undefined && addressOfKey(key) !== address,
      addressVariable,
      `is not the account of ${first}`,
    ],
  ];
  return problems.filter(([isWrong]) => isWrong).map(([, variable, message]) => ({ variable, message }));
}

function missingOperator(
  values: KeyValues,
  { operator }: Record<KeyName, SignerValues>,
  wrong: ReadonlySet<string>,
): Problem[] {
  if (operator.ways.length > 0) return [];
  if (!signs("operator", values)) {
    const message = "is missing: the account of the operator, with which another process signs";
    const isMissing = operator.address === undefined && !wrong.has("OPERATOR_ADDRESS");
    return isMissing ? [{ variable: "OPERATOR_ADDRESS", message }] : [];
  }
  return [
    {
      variable: "OPERATOR_PRIVATE_KEY",
      message:
        "is missing: set the key that mints, confirms and pays on this chain, or OPERATOR_KEY_FILE, or OPERATOR_SIGNER_URL",
    },
  ];
}

/** Problems for addresses without a key: this process could not sign for them. */
function missingKeys(values: KeyValues, sets: Record<KeyName, SignerValues>): Problem[] {
  const operator = accountOf(sets.operator);
  return KEY_NAMES.filter((name) => name !== "operator" && signs(name, values)).flatMap((name) => {
    const { prefix, address, ways } = sets[name];
    if (address === undefined || ways.length > 0 || address === operator) return [];
    const message = `is missing: ${prefix}_ADDRESS is another account than the operator's. Set its key, or ${prefix}_KEY_FILE, or ${prefix}_SIGNER_URL, or leave ${name} out of SENDER_KEYS`;
    return [{ variable: `${prefix}_PRIVATE_KEY`, message }];
  });
}

function wrongChoice({ SENDER_KEYS: chosen }: KeyValues, sets: Record<KeyName, SignerValues>): Problem[] {
  if (chosen?.includes(NONE) && chosen.length > 1) {
    return [{ variable: "SENDER_KEYS", message: `must be ${NONE} alone, or names of keys` }];
  }
  const operator = accountOf(sets.operator);
  const without = KEY_NAMES.filter((name) => {
    const isOwn = sets[name].ways.length > 0 || ![undefined, operator].includes(sets[name].address);
    return name !== "operator" && chosen?.includes(name) && !isOwn;
  });
  return without.map((name) => ({
    variable: "SENDER_KEYS",
    message: `names ${name}, which has no key of its own: set ${PREFIX[name]}_KEY_FILE, or name operator`,
  }));
}
