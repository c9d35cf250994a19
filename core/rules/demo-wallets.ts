/**
 * The demo wallets' addresses: accounts 3 and 4 of the development chain's published mnemonic. Their keys are public,
 * so they must be trusted on the local chain only. Only the api and the development entry of the web app import this.
 */
export const DEMO_SHOPPER = "0x90f79bf6eb2c4f870365e785982e1f101e93b906";
export const DEMO_ADMIN = "0x15d34aaf54267db7d7c367839aaf71a00a2c6a65";
