import { toWalletAddress, type WalletAddress } from "../../core/rules/wallet-address.ts";
import { deployment } from "../app/deployment.ts";

export const purchaseNft = () => toWalletAddress(deployment.purchase_nft);

/** The current tickets and those that they continue, the latest first. */
export const ticketContracts = (): WalletAddress[] =>
  [deployment.purchase_nft, ...deployment.former_purchase_nfts].map(toWalletAddress);

export const distributor = () => toWalletAddress(deployment.cashback_distributor);

/** The current distributor and its predecessors. */
export const distributors = (): WalletAddress[] =>
  [deployment.cashback_distributor, ...deployment.former_distributors].map(toWalletAddress);
