import { readDeployment } from "../chain/deployment.ts";
import type { WalletAddress } from "../domain/wallet-address.ts";
import type { Contracts } from "../sender/batch.ts";
import { type ApiEnvironment, EnvironmentError } from "./environment.ts";

/** Where the contracts stand: by the environment, else by the network's record. @throws EnvironmentError */
export function readContracts(environment: ApiEnvironment): { contracts: Contracts; startBlock: bigint } {
  const { PURCHASE_NFT_ADDRESS: purchaseNft, CASHBACK_DISTRIBUTOR_ADDRESS: cashbackDistributor } = environment;
  if (purchaseNft && cashbackDistributor) {
    return { contracts: { purchaseNft, cashbackDistributor }, startBlock: BigInt(environment.START_BLOCK ?? 0) };
  }
  try {
    const deployment = readDeployment(environment.network);
    const lower = (address: string) => address.toLowerCase() as WalletAddress;
    return {
      contracts: {
        purchaseNft: purchaseNft ?? lower(deployment.purchaseNft.address),
        cashbackDistributor: cashbackDistributor ?? lower(deployment.cashbackDistributor.address),
      },
      startBlock: BigInt(environment.START_BLOCK ?? deployment.block),
    };
  } catch (error) {
    throw new EnvironmentError(error instanceof Error ? error.message : String(error));
  }
}
