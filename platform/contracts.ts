import { readDeployment } from "../chain/deployment.ts";
import type { Network } from "../domain/networks.ts";
import type { WalletAddress } from "../domain/wallet-address.ts";
import { EnvironmentError } from "./environment.ts";

/** The contracts of a network, and the first block that can contain their events. */
export type DeployedContracts = { purchaseNft: WalletAddress; cashbackDistributor: WalletAddress; startBlock: number };

export type ContractVariables = {
  network: Network;
  PURCHASE_NFT_ADDRESS?: WalletAddress | undefined;
  CASHBACK_DISTRIBUTOR_ADDRESS?: WalletAddress | undefined;
  START_BLOCK?: number | undefined;
};

/** From the environment, otherwise from the network's deployment record. @throws EnvironmentError */
export function readContracts(variables: ContractVariables): DeployedContracts {
  const { PURCHASE_NFT_ADDRESS: purchaseNft, CASHBACK_DISTRIBUTOR_ADDRESS: cashbackDistributor } = variables;
  if (purchaseNft && cashbackDistributor) {
    return { purchaseNft, cashbackDistributor, startBlock: variables.START_BLOCK ?? 0 };
  }
  try {
    const record = readDeployment(variables.network);
    return {
      purchaseNft: purchaseNft ?? lower(record.purchaseNft.address),
      cashbackDistributor: cashbackDistributor ?? lower(record.cashbackDistributor.address),
      startBlock: variables.START_BLOCK ?? record.block,
    };
  } catch (error) {
    throw new EnvironmentError(error instanceof Error ? error.message : String(error));
  }
}

const lower = (address: string) => address.toLowerCase() as WalletAddress;
