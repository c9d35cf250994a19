import { privateKeyToAddress } from "viem/accounts";
import { toWalletAddress, type WalletAddress } from "../rules/wallet-address.ts";

/** anvil's first account: worthless except on a local chain. */
export const LOCAL_TEST_KEY = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";

/** The first twenty accounts of the mnemonics of development chains: Hardhat and anvil, Ganache, Truffle. */
export const KNOWN_ADDRESSES: ReadonlySet<string> = new Set([
  // test test test test test test test test test test test junk
  "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",
  "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
  "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
  "0x90f79bf6eb2c4f870365e785982e1f101e93b906",
  "0x15d34aaf54267db7d7c367839aaf71a00a2c6a65",
  "0x9965507d1a55bcc2695c58ba16fb37d819b0a4dc",
  "0x976ea74026e726554db657fa54763abd0c3a0aa9",
  "0x14dc79964da2c08b23698b3d3cc7ca32193d9955",
  "0x23618e81e3f5cdf7f54c3d65f7fbc0abf5b21e8f",
  "0xa0ee7a142d267c1f36714e4a8f75612f20a79720",
  "0xbcd4042de499d14e55001ccbb24a551f3b954096",
  "0x71be63f3384f5fb98995898a86b02fb2426c5788",
  "0xfabb0ac9d68b0b445fb7357272ff202c5651694a",
  "0x1cbd3b2770909d4e10f157cabc84c7264073c9ec",
  "0xdf3e18d64bc6a983f673ab319ccae4f1a57c7097",
  "0xcd3b766ccdd6ae721141f452c550ca635964ce71",
  "0x2546bcd3c84621e976d8185a91a922ae77ecec30",
  "0xbda5747bfd65f08deb54cb465eb87d40e51b197e",
  "0xdd2fd4581271e230360230f9337d5c0430bf44c0",
  "0x8626f6940e2eb28930efb4cef49b2d1f2c9c1199",
  // myth like bonus scare over problem client lizard pioneer submit female collect
  "0x90f8bf6a479f320ead074411a4b0e7944ea8c9c1",
  "0xffcf8fdee72ac11b5c542428b35eef5769c409f0",
  "0x22d491bde2303f2f43325b2108d26f1eaba1e32b",
  "0xe11ba2b4d45eaed5996cd0823791e0c93114882d",
  "0xd03ea8624c8c5987235048901fb614fdca89b117",
  "0x95ced938f7991cd0dfcb48f0a06a40fa1af46ebc",
  "0x3e5e9111ae8eb78fe1cc3bb8915d5d461f3ef9a9",
  "0x28a8746e75304c0780e011bed21c72cd78cd535e",
  "0xaca94ef8bd5ffee41947b4585a84bda5a3d3da6e",
  "0x1df62f291b2e969fb0849d99d9ce41e2f137006e",
  "0x610bb1573d1046fcb8a70bbbd395754cd57c2b60",
  "0x855fa758c77d68a04990e992aa4dcdef899f654a",
  "0xfa2435eacf10ca62ae6787ba2fb044f8733ee843",
  "0x64e078a8aa15a41b85890265648e965de686bae6",
  "0x2f560290fef1b3ada194b6aa9c40aa71f8e95598",
  "0xf408f04f9b7691f7174fa2bb73ad6d45fd5d3cbe",
  "0x66fc63c2572bf3add0fe5d44b97c2e614e35e9a3",
  "0xf0d5bc18421fa04d0a2a2ef540ba5a9f04014be3",
  "0x325a621dea613bcfb5b1a69a7aced0ea4afbd73a",
  "0x3fd652c93dfa333979ad762cf581df89baba6795",
  // candy maple cake sugar pudding cream honey rich smooth crumble sweet treat
  "0x627306090abab3a6e1400e9345bc60c78a8bef57",
  "0xf17f52151ebef6c7334fad080c5704d77216b732",
  "0xc5fdf4076b8f3a5357c5e395ab970b5b54098fef",
  "0x821aea9a577a9b44299b9c15c88cf3087f3b5544",
  "0x0d1d4e623d10f9fba5db95830f7d3839406c6af2",
  "0x2932b7a2355d6fecc4b5c0b6bd44cc31df247a2e",
  "0x2191ef87e392377ec08e7c08eb105ef5448eced5",
  "0x0f4f2ac550a1b4e2280d04c21cea7ebd822934b5",
  "0x6330a553fc93768f612722bb8c2ec78ac90b3bbc",
  "0x5aeda56215b167893e80b4fe645ba6d5bab767de",
  "0xe44c4cf797505af1527b11e4f4c6f95531b4be24",
  "0x69e1cb5cfca8a311586e3406ed0301c06fb839a2",
  "0xf014343bdffbed8660a9d8721dec985126f189f3",
  "0x0e79edbd6a727cfee09a2b1d0a59f7752d5bf7c9",
  "0x9bc1169ca09555bf2721a5c9ec6d69c8073bfeb4",
  "0xa23eaef02f9e0338eecda8fdd0a73add781b2a86",
  "0xc449a27b106be1120bd1fd62f8166a2f61588eb9",
  "0xf24ae9ce9b62d83059bd849b9f36d3f4792f5081",
  "0xc44b027a94913fb515b19f04caf515e74ae24fd6",
  "0xcb0236b37ff19001633e38808bd124b60b1fe1ba",
]);

/** A key below this is a small number, not random; bots watch such accounts. */
const LEAST_DRAWN_KEY = 2n ** 64n;

export function addressOfKey(key: `0x${string}`): WalletAddress {
  return toWalletAddress(privateKeyToAddress(key));
}

/** Whether the key is public knowledge, so that anyone can take its funds on a public chain. */
export function isKnownKey(key: `0x${string}`): boolean {
  return BigInt(key) < LEAST_DRAWN_KEY || KNOWN_ADDRESSES.has(addressOfKey(key));
}
