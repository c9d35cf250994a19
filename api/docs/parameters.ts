type Json = Record<string, unknown>;
type Described = { description: string; schema: Json };

const ID: Json = { type: "string", pattern: "^[1-9]\\d{0,14}$" };
const TEXT: Json = { type: "string" };

/** Parameters of paths. */
const OF_PATH: Readonly<Record<string, Described>> = {
  cashbackId: { description: "The number of a store's category.", schema: ID },
  tokenId: { description: "The number of a ticket, which is its purchase's.", schema: ID },
  wallet: { description: "The wallet.", schema: { type: "string", pattern: "^0x[0-9a-fA-F]{40}$" } },
  name: { description: "The name of an uploaded picture, as a store's `logo` has it.", schema: TEXT },
  network: { description: "The affiliate network.", schema: TEXT },
  account: { description: "Our account at the network.", schema: TEXT },
  secret: { description: "The secret of the account's push address.", schema: TEXT },
};

/** Parameters of queries. */
const OF_QUERY: Readonly<Record<string, string>> = {
  limit: "How many rows a page has.",
  before: "Where the page starts: the `next_before` of the page before it.",
  query: "Whole numbers and hashes, or the beginning of a wallet, an order, an e-mail address or a name.",
  state: "Only rows in this state; empty: all.",
  sort: "The order: a name upwards, `-name` downwards; empty: newest first.",
  status: "The status that the picture shows.",
  contract: "The address of a token's contract.",
  format: "The form of the catalogue file.",
  network: "Only sales of this affiliate network.",
  from: "The first month, such as 2026-01.",
  to: "The last month, such as 2026-11.",
};

/** Describes a path parameter: by default the number of the resource in the path. */
export function pathParameter(path: string, name: string): Described {
  const known = OF_PATH[name];
  if (known) return known;
  const words = path.split("/");
  const owner = (words[words.indexOf(`:${name}`) - 1] ?? "row").replace(/s$/, "");
  return { description: `The number of the ${owner}.`, schema: ID };
}

/** Descriptions of query parameters; a test finds missing ones. */
export const queryDescription = (name: string): string | undefined => OF_QUERY[name];
