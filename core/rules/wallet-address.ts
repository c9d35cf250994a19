/** A wallet address in lower case, as it is stored and compared everywhere. */
export type WalletAddress = `0x${string}`;

/** The stored form of an address of 20 bytes in hex. */
export function toWalletAddress(address: string): WalletAddress {
  return `0x${address.slice(2).toLowerCase()}`;
}

/**
 * Keeps 6 leading and 4 trailing characters. docs/product.md#wallet-address.
 * @example
 * shortenAddress("0x90f79bf6eb2c4f870365e785982e1f101e93b906") // "0x90f7...b906"
 */
export function shortenAddress(address: string): string {
  return `${address.slice(0, 6)}...${address.slice(-4)}`;
}

/** Whether a text is 20 bytes of hex. The server also verifies the checksum of a mixed-case address. */
export function isAddressShaped(text: string): text is WalletAddress {
  return /^0x[0-9a-fA-F]{40}$/.test(text);
}
