import { TorcidaError } from "../rules/torcida-error.ts";
import type { WalletAddress } from "../rules/wallet-address.ts";

/**
 * What both contracts say beside the lives of their tickets (`indexer/events.ts`): who may do what, limits, pauses, money,
 * stores, pictures. `Locked`, `MetadataUpdate`, `BatchMetadataUpdate` and `ContractURIUpdated` repeat other events for
 * explorers. docs/indexer.md#contract-events
 */
export type ContractEvent = {
  blockNumber: number;
  logIndex: number;
  transactionHash: string;
  contract: WalletAddress;
  event: string;
  /** The ticket that it is about; null if none. */
  tokenId: bigint | null;
  /** By the contract's own names: numbers as decimal text, addresses and words in lower case. */
  arguments: Record<string, string>;
};

type Emitter = "both" | "purchaseNft" | "cashbackDistributor";

/** Each event as its contract declares it, and its hash. A test compares them with the ABIs. */
const DECLARED: readonly (readonly [Emitter, string, string])[] = [
  [
    "both",
    "RoleGranted(bytes32 indexed role, address indexed account, address indexed sender)",
    "0x2f8788117e7eff1d82e926ec794901d17c78024a50270940304540a733656f0d",
  ],
  [
    "both",
    "RoleRevoked(bytes32 indexed role, address indexed account, address indexed sender)",
    "0xf6391f5c32d9c69d2a47ea670b442974b53935d1edc7fd64eb21e047a839171b",
  ],
  [
    "both",
    "RoleAdminChanged(bytes32 indexed role, bytes32 indexed previousAdminRole, bytes32 indexed newAdminRole)",
    "0xbd79b86ffe0ab8e8776151514217cd7cacd52c909f66475c3af44e129f0b00ff",
  ],
  [
    "both",
    "DefaultAdminTransferScheduled(address indexed newAdmin, uint48 acceptSchedule)",
    "0x3377dc44241e779dd06afab5b788a35ca5f3b778836e2990bdb26a2a4b2e5ed6",
  ],
  ["both", "DefaultAdminTransferCanceled()", "0x8886ebfc4259abdbc16601dd8fb5678e54878f47b3c34836cfc51154a9605109"],
  [
    "both",
    "DefaultAdminDelayChangeScheduled(uint48 newDelay, uint48 effectSchedule)",
    "0xf1038c18cf84a56e432fdbfaf746924b7ea511dfe03a6506a0ceba4888788d9b",
  ],
  ["both", "DefaultAdminDelayChangeCanceled()", "0x2b1fa2edafe6f7b9e97c1a9e0c3660e645beb2dcaa2d45bdbf9beaf5472e1ec5"],
  ["both", "Paused(address account)", "0x62e78cea01bee320cd4e420270b5ea74000d11b0c9f74754ebdbfc544b05a258"],
  ["both", "Unpaused(address account)", "0x5db9ee0a495bf2e6ff9c91a7834c1ba4fdd244a5e8aa4e537bd38aeae4b073aa"],
  [
    "both",
    "Recovered(address indexed token, address indexed to, uint256 amount)",
    "0xfff3b3844276f57024e0b42afec1a37f75db36511e43819a4f2a63ab7862b648",
  ],
  [
    "purchaseNft",
    "Succeeded(address indexed predecessor)",
    "0x0e0c32a18730220851983ab7c8a081b5fa562378fc1ce4b87eb48d393f82eda4",
  ],
  [
    "purchaseNft",
    "DescriptorSet(address indexed descriptor)",
    "0x1d74f7ade49690cfc8a3fecddc21793cd3f8324fd22dd79cc4aa9bfd420cd589",
  ],
  [
    "purchaseNft",
    "DistributorSet(address indexed distributor)",
    "0x86719c518c7d99ac94b3d405d462ea876ba5cd0a978461dc9a7c9862a9485886",
  ],
  ["purchaseNft", "SiteUrlSet(string siteUrl)", "0x64b4bc9db31ad064274072787c73cf562e8af3479714f65e4c84d1bc6334ad25"],
  [
    "purchaseNft",
    "MetadataUriSet(uint256 indexed tokenId, string metadataUri)",
    "0x8b20b7ba7012e3c6dd7eebc0edcd0b48b7b1baaefa3edd31c7c9fe4600378401",
  ],
  [
    "purchaseNft",
    "MetadataUriCleared(uint256 indexed tokenId)",
    "0x0171bac5b03760f3c9be6ac3df3939983c8d449a5b3c66050b438fe71c965b96",
  ],
  [
    "purchaseNft",
    "StoreRegistered(uint16 indexed storeId, string name)",
    "0xbbdcd34629fd1dffc0a7e07daa62e20c77a1a4c32c58505a19cfe5f4ea5e9165",
  ],
  [
    "purchaseNft",
    "StoreRenamed(uint16 indexed storeId, string name)",
    "0xed73e684d2b18c2edd797d17d31fed6ae0b2a56e216a287127b6e56e713d55c4",
  ],
  [
    "purchaseNft",
    "StoreColourSet(uint16 indexed storeId, uint24 colour)",
    "0xb757791ab938a83bf8fa900aaa1893a76e9ae55b75351822336a8255fbed4cc0",
  ],
  [
    "purchaseNft",
    "StoreLookSet(uint16 indexed storeId, uint24 first, uint24 second, uint8 pattern)",
    "0xf43778552fe2dd88d05e02656c92c079b4f44ef069e497a00e9c9948da1e2bc9",
  ],
  [
    "cashbackDistributor",
    "Succeeded(address indexed predecessor, address tickets, uint256 spentToday)",
    "0x38807ff21c25aafe9b53aa5b6664c4de247b729f23aaa0a89c850d5066a00645",
  ],
  [
    "cashbackDistributor",
    "LimitsSet(uint96 maxWeiPerCent, uint96 maxPayout, uint112 dailyCap)",
    "0xb5ff15dedfd03c64b24bc3ae6a6c3c257a7e4408baae427e13bb439c8027f83b",
  ],
  ["cashbackDistributor", "Retired()", "0xc15f68f0a72806ff3f8bf2435385a67c4c22413f1c7931ef7bcea718e6ffcf03"],
  [
    "cashbackDistributor",
    "Funded(address indexed from, uint256 amount)",
    "0x5af8184bef8e4b45eb9f6ed7734d04da38ced226495548f46e0c8ff8d7d9a524",
  ],
  [
    "cashbackDistributor",
    "Swept(address indexed to, uint256 amount)",
    "0xc36b5179cb9c303b200074996eab2b3473eac370fdd7eba3bec636fe35109696",
  ],
  [
    "cashbackDistributor",
    "CreditWithdrawn(address indexed recipient, address indexed to, uint256 amount)",
    "0x52fc0f9d902f33823a83590d3549f63f5492a0df5c6b6db8dee20deb94456b26",
  ],
  [
    "cashbackDistributor",
    "RateApplied(uint256 weiPerCent)",
    "0xb4fc9a8a81ef249f8c733b58f6ecaad9f4b25710b602645da4718589beda876b",
  ],
  [
    "cashbackDistributor",
    "CashbackSkipped(uint256 indexed purchaseId)",
    "0x9e06a03a55c98d7e47cfbc54098f6ac7601b53bfd3cb80c55ae8d8a7ac36782d",
  ],
];

/** Acts of the admin, the treasurer or the pauser, who are no keys of a server: each is told. docs/operations.md#watchman */
export const COLD_KEY_EVENTS: readonly string[] = [
  ...["RoleGranted", "RoleRevoked", "RoleAdminChanged", "Paused", "Unpaused", "Recovered", "Succeeded"],
  ...["DefaultAdminTransferScheduled", "DefaultAdminTransferCanceled"],
  ...["DefaultAdminDelayChangeScheduled", "DefaultAdminDelayChangeCanceled"],
  ...["DescriptorSet", "DistributorSet", "SiteUrlSet", "MetadataUriCleared", "LimitsSet", "Retired", "Swept"],
];

/** The roles of both contracts, by the ids that events have. A test compares them with the contracts. */
export const ROLE_NAMES: Readonly<Record<string, string>> = {
  [`0x${"0".repeat(64)}`]: "DEFAULT_ADMIN_ROLE",
  "0x9f2df0fed2c77648de5860a4cc508cd0818c85b8b8a1ab4ceeef8d981c8956a6": "MINTER_ROLE",
  "0x2882d409365a50c684fae709d3db405f6fd025cd4d815228377ccc14efd8b57c": "CONFIRMER_ROLE",
  "0x67d4c780c795fe8d12b4c9ce0cc5cf7ba61a038d8297b54c7c2bc8272fe35858": "CATALOGUE_ROLE",
  "0x65d7a28e3265b37a6474929f336521b332c1681b933f6cb9f3376673440d862a": "PAUSER_ROLE",
  "0x3496e2e73c4d42b75d702e60d9e48102720b8691234415963a5a857b86425d07": "TREASURER_ROLE",
  "0x8ec07e268e32cae7f300b49ad34f20106d088445cb9d9b2d62cbd864638308b2": "PAYER_ROLE",
};

/** A combination of logs that our contracts never emit: the node omitted or invented one. */
export class ContradictoryLogsError extends TorcidaError {
  override readonly docs = "docs/product.md#node-trust";
}

type Argument = { name: string; type: string; isIndexed: boolean };
type Shape = { of: Emitter; event: string; arguments: Argument[] };

const shapes = new Map(
  DECLARED.map(([of, declaration, topic]): [string, Shape] => {
    const [event = "", list = ""] = declaration.replace(")", "").split("(");
    const parts = list === "" ? [] : list.split(", ").map((one) => one.split(" "));
    const named = parts.map(([type = "", ...rest]) => {
      return { type, isIndexed: rest.length > 1, name: rest.at(-1) ?? "" };
    });
    return [topic, { of, event, arguments: named }];
  }),
);

/** Which contract emits each of these events, by its hash. */
export const CONTRACT_EVENT_TOPICS: ReadonlyMap<string, { of: Emitter; event: string }> = shapes;

type Log = {
  address: string;
  topics: readonly string[];
  data: string;
  blockNumber: string;
  logIndex: string;
  transactionHash: string;
};

const WORDS = /^0x(?:[0-9a-f]{64})*$/i;

/** Undefined: it is none of these events. @throws ContradictoryLogsError if it is none that a contract can emit */
export function decodeContractEvent(log: Log): ContractEvent | undefined {
  const shape = shapes.get(log.topics[0] ?? "");
  if (!shape) return undefined;
  const indexed = log.topics.slice(1);
  const data = shape.arguments.filter(({ isIndexed }) => !isIndexed);
  const isOfItsLength = data.some(({ type }) => type === "string") || log.data.length === 2 + 64 * data.length;
  if (!isOfItsLength || !WORDS.test(log.data) || indexed.length !== shape.arguments.length - data.length) {
    const place = `in block ${Number(log.blockNumber)}`;
    throw new ContradictoryLogsError(`${shape.event} has other arguments than it declares, ${place}`);
  }
  let word = 0;
  const values = shape.arguments.map(({ name, type, isIndexed }): [string, string] => {
    return [name, isIndexed ? textOf(type, indexed.shift() ?? "", 0) : textOf(type, log.data, word++)];
  });
  const read = Object.fromEntries(values);
  const id = read.tokenId ?? read.purchaseId;
  return {
    blockNumber: Number(log.blockNumber),
    logIndex: Number(log.logIndex),
    transactionHash: log.transactionHash,
    contract: `0x${log.address.slice(2).toLowerCase()}`,
    event: shape.event,
    tokenId: id === undefined ? null : BigInt(id),
    arguments: read,
  };
}

const wordAt = (data: string, word: number) => data.slice(2 + word * 64, 66 + word * 64);

function textOf(type: string, data: string, at: number): string {
  const word = wordAt(data, at);
  if (type === "address") return `0x${word.slice(24).toLowerCase()}`;
  if (type === "bytes32") return `0x${word.toLowerCase()}`;
  if (type !== "string") return String(BigInt(`0x${word || "0"}`));
  // Its word says where its length stands, which its bytes follow.
  const start = 2 + Number(`0x${word || "0"}`) * 2;
  const length = Number(`0x${data.slice(start, start + 64) || "0"}`);
  return Buffer.from(data.slice(start + 64, start + 64 + length * 2), "hex").toString("utf8");
}
