import { type Contracts, readDeployment } from "../chain/deployment.ts";
import type { Network } from "../rules/networks.ts";
import { messageOf } from "../rules/unknown-error.ts";
import { toWalletAddress, type WalletAddress } from "../rules/wallet-address.ts";
import { EnvironmentError } from "./environment.ts";

/** The contracts of a network, and their first block. */
export type DeployedContracts = Contracts & {
  /** The first block that can contain one of their events. */
  startBlock: number;
  /** The block at which each was deployed that continues another, by its address, as far as it is known. */
  successorBlocks?: Readonly<Partial<Record<WalletAddress, number>>> | undefined;
};

export type ContractVariables = {
  network: Network;
  PURCHASE_NFT_ADDRESS?: WalletAddress | undefined;
  CASHBACK_DISTRIBUTOR_ADDRESS?: WalletAddress | undefined;
  FORMER_PURCHASE_NFT_ADDRESSES?: readonly WalletAddress[] | undefined;
  FORMER_DISTRIBUTOR_ADDRESSES?: readonly WalletAddress[] | undefined;
  START_BLOCK?: number | undefined;
};

/** From the environment, otherwise from the network's deployment record. @throws EnvironmentError */
export function readContracts(variables: ContractVariables): DeployedContracts {
  const {
    PURCHASE_NFT_ADDRESS: purchaseNft,
    CASHBACK_DISTRIBUTOR_ADDRESS: cashbackDistributor,
    FORMER_PURCHASE_NFT_ADDRESSES: formerTickets,
    FORMER_DISTRIBUTOR_ADDRESSES: former,
  } = variables;
  if (purchaseNft && cashbackDistributor) {
    return {
      purchaseNft,
      formerPurchaseNfts: formerTickets ?? [],
      cashbackDistributor,
      formerDistributors: former ?? [],
      startBlock: variables.START_BLOCK ?? 0,
    };
  }
  try {
    const record = readDeployment(variables.network);
    return {
      purchaseNft: purchaseNft ?? toWalletAddress(record.purchaseNft.address),
      formerPurchaseNfts: formerTickets ?? record.formerPurchaseNfts.map(({ address }) => toWalletAddress(address)),
      cashbackDistributor: cashbackDistributor ?? toWalletAddress(record.cashbackDistributor.address),
      formerDistributors: former ?? record.formerDistributors.map(({ address }) => toWalletAddress(address)),
      startBlock: variables.START_BLOCK ?? record.block,
      successorBlocks: Object.fromEntries(
        [record.purchaseNft, ...record.formerPurchaseNfts, record.cashbackDistributor, ...record.formerDistributors]
          .filter(({ block }) => block !== undefined)
          .map(({ address, block }) => [toWalletAddress(address), block]),
      ),
    };
  } catch (error) {
    throw new EnvironmentError(messageOf(error));
  }
}
