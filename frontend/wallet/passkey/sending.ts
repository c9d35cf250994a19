import { getAddress, type Hex, keccak256, numberToHex } from "viem";
import { creditOf } from "../../../core/chain/generated/cashback-distributor.ts";
import { chzTextFromWei, reaisText } from "../../../core/rules/money.ts";
import { CHZ_DECIMALS } from "../../../core/rules/product.ts";
import { toWalletAddress, type WalletAddress } from "../../../core/rules/wallet-address.ts";
import { getConfig, getFanTokens } from "../../api/calls.ts";
import { deployment } from "../../app/deployment.ts";
import { client, readBalance, readContract } from "../../chain/client.ts";
import { distributors } from "../../chain/contracts.ts";
import { targetChain } from "../../chain/target-chain.ts";
import { loadLaterTexts, inPageLanguage as t } from "../../i18n/language.tsx";
import { numeric } from "../../i18n/numeric.ts";
import { approved, wallet } from "./approval.ts";
import { feeOf, feesNow, gasOf, isMined, nonceOf } from "./fees.ts";
import { NotSentError } from "./not-sent.ts";
import type { Receiver } from "./queries.ts";
import { checkAddress } from "./send-rules.ts";
import { readTransaction } from "./transaction.ts";

/** Signs one of the three forms that it can say in words, and gives it to the node. @returns the hash */
export async function sendTransaction(given: unknown): Promise<Hex> {
  const of = wallet();
  const { meaning, ...wanted } = readTransaction(given, {
    ...{ own: of.address, chainId: deployment.chain_id, distributors: distributors(), tokens: await catalogueTokens() },
  });
  const { to, value, data } = wanted;
  const credit = { address: to, abi: [creditOf], functionName: "creditOf", args: [of.address] } as const;
  const [fees, gas, nonce, credited, config] = await Promise.all([
    feesNow(),
    wanted.gas ?? gasOf({ from: of.address, to, value, data }),
    nonceOf(of.address),
    meaning.kind === "withdraw" ? readContract(credit) : 0n,
    getConfig().catch(() => undefined),
    loadLaterTexts(),
  ]);
  const { maxFeePerGas = fees.maxFeePerGas, maxPriorityFeePerGas = fees.maxPriorityFeePerGas } = wanted;
  /** In reais too, where their rate is known and it is a cent at least. */
  const chz = (wei: bigint) => {
    const amount = `${exact(chzTextFromWei(wei))} CHZ`;
    return config && wei >= BigInt(config.wei_per_cent)
      ? t("passkey.transaction.reais", { amount, value: brl(reaisText(wei / BigInt(config.wei_per_cent))) })
      : amount;
  };
  const fee = chz(feeOf({ gas, maxFeePerGas }));
  const transaction = { to, value, data, gas, nonce, maxFeePerGas, maxPriorityFeePerGas, chainId: deployment.chain_id };
  const signed = await approved({
    of,
    title: "passkey.transaction",
    detail: [
      meaning.kind === "withdraw"
        ? t("passkey.transaction.withdraw", { amount: chz(credited) })
        : meaning.kind === "chz"
          ? t("passkey.transaction.amount", { amount: chz(meaning.wei) })
          : t("passkey.transaction.units", {
              ...{ units: String(meaning.units), symbol: meaning.symbol, contract: meaning.contract },
            }),
      t("passkey.transaction.to", { address: getAddress(meaning.to) }),
      t("passkey.transaction.fee", { fee }),
      t("passkey.transaction.network", { network: targetChain.name }),
    ].join("\n"),
    work: { kind: "transaction", transaction: { type: "eip1559", ...transaction } },
  });
  return publish(signed as Hex);
}

/**
 * Gives a signed transaction to the node. An answer that was lost is no refusal: whoever sent again would pay twice. So it
 * fails only where the node says that it knows no such transaction.
 */
async function publish(signed: Hex): Promise<Hex> {
  const hash = keccak256(signed);
  try {
    await client.request({ method: "eth_sendRawTransaction", params: [signed] });
  } catch (error) {
    const known = await client.request({ method: "eth_getTransactionByHash", params: [hash] }).catch(() => undefined);
    if (known === null) throw error;
  }
  return hash;
}

const exact = (chz: string): string =>
  new Intl.NumberFormat(document.documentElement.lang, { maximumFractionDigits: CHZ_DECIMALS }).format(numeric(chz));

const brl = (reais: string): string =>
  new Intl.NumberFormat(document.documentElement.lang, { style: "currency", currency: "BRL" }).format(numeric(reais));

/** Contracts of fan tokens that the shop lists; without an answer there are none, and none is sent. */
async function catalogueTokens(): Promise<{ contract: string; symbol: string }[]> {
  const tokens = await getFanTokens().catch(() => []);
  return tokens.flatMap(({ contract, symbol, name }) => (contract ? [{ contract, symbol: symbol ?? name }] : []));
}

export const balanceOf = (wallet: WalletAddress): Promise<bigint> => readBalance(wallet);

export async function receiverOf(address: string, own: WalletAddress): Promise<Receiver> {
  const check = checkAddress(address, own);
  if (check !== "right" && check !== "unchecked") return { check, isContract: false };
  const code = await client.request({ method: "eth_getCode", params: [toWalletAddress(address), "latest"] });
  return { check, isContract: code !== "0x" };
}

/** What sending CHZ there takes, and costs at most. @throws NotSentError */
export async function costOf(from: WalletAddress, to: WalletAddress) {
  const [fees, gas] = await Promise.all([feesNow(), gasOf({ from, to, value: 0n })]);
  return { ...fees, gas, fee: feeOf({ ...fees, gas }) };
}

export type Sent = { hash: Hex; hasArrived: boolean };

/**
 * Sends CHZ, or everything less the fee, and waits a while until it has arrived.
 * @returns the transaction's hash, and whether it was seen to arrive
 * @throws NotSentError, and as `sendTransaction`
 */
export async function sendChz(from: WalletAddress, to: WalletAddress, wanted: bigint | "all"): Promise<Sent> {
  const [balance, { fee, gas, ...fees }] = await Promise.all([readBalance(from), costOf(from, to)]);
  const value = wanted === "all" ? balance - fee : wanted;
  if (value <= 0n) throw new NotSentError("passkey.send.nothing");
  if (value + fee > balance) throw new NotSentError("passkey.send.tooMuch");
  const hash = await sendTransaction({
    ...{ from, to, value: numberToHex(value), gas: numberToHex(gas) },
    maxFeePerGas: numberToHex(fees.maxFeePerGas),
    maxPriorityFeePerGas: numberToHex(fees.maxPriorityFeePerGas),
  });
  const hasArrived = await isMined(hash);
  if (hasArrived === false) throw new NotSentError("passkey.send.reverted");
  return { hash, hasArrived: hasArrived === true };
}
