import { useCallback } from "react";
import { numberToHex, UserRejectedRequestError } from "viem";
import { type Connector, useSwitchChain } from "wagmi";
import { targetChain } from "../chain/target-chain.ts";
import { type Translate, useText } from "../i18n/language.tsx";
import { toast } from "../ui/toast.ts";
import { AddNetworkError, hasCode, REJECTED, REQUEST_PENDING } from "./errors.ts";
import { toastWalletFailure } from "./wallet-failure.ts";

/**
 * Asks a wallet on another network to switch to ours, and to add it if the wallet does not know it. A failure is said
 * here. docs/product.md#wallet-network
 */
export function useSwitchToTarget(): (connector: Connector) => Promise<void> {
  const t = useText();
  const { mutateAsync: switchChain } = useSwitchChain();
  return useCallback(
    async (connector) => {
      let added = chainToAdd();
      try {
        if ((await connector.getChainId()) === targetChain.id) return;
        toast.warning(t("wallet.wrongNetwork"), {
          id: "network",
          description: t("wallet.wrongNetwork.detail", { network: targetChain.name }),
        });
        const ask = () => switchChain({ connector, chainId: targetChain.id, addEthereumChainParameter: added.chain });
        isAskedFor = true;
        await ask()
          .catch(async (error: unknown) => {
            if (isAddedAlone(error)) added = chainToAdd();
            else if (isAnswer(error) || added.wasAsked()) throw error;
            // A wallet that does not know the network may say so in words of its own.
            else await askToAdd(connector, added.chain);
            return ask();
          })
          .catch(async (error: unknown) => {
            // Some do it and answer with an error: what holds is where the wallet is.
            if (isAnswer(error) || (await connector.getChainId()) !== targetChain.id) throw error;
          });
        isAskedFor = false;
        toast.success(t("wallet.correctNetwork"), { id: "network" });
      } catch (error) {
        isAskedFor &&= !hasCode(error, REJECTED);
        toastFailure(added.wasAsked() ? addFailure(error) : error, t);
      }
    },
    [switchChain, t],
  );
}

let isAskedFor = false;

/** Whether the page has asked for its network and the wallet is still to go there. It is asked once a change. */
export function wasAskedFor(): boolean {
  const was = isAskedFor;
  isAskedFor = false;
  return was;
}

/** The user's own no, or a request that still waits for them. */
const isAnswer = (error: unknown): boolean => hasCode(error, REJECTED) || hasCode(error, REQUEST_PENDING);

type Wallet = { request(call: { method: string; params: unknown[] }): Promise<unknown> };

/** @throws the wallet's own error, where it takes no network */
async function askToAdd(connector: Connector, { chainName, rpcUrls }: ReturnType<typeof chainToAdd>["chain"]) {
  const { nativeCurrency, blockExplorers, id } = targetChain;
  const explorer = blockExplorers?.default.url;
  const chain = {
    ...{ chainId: numberToHex(id), chainName, nativeCurrency, rpcUrls },
    ...(explorer && { blockExplorerUrls: [explorer] }),
  };
  await ((await connector.getProvider()) as Wallet).request({ method: "wallet_addEthereumChain", params: [chain] });
}

/** wagmi reads what it asks a wallet to add only then, and says of neither request which of them failed. */
function chainToAdd() {
  let wasAsked = false;
  const chain = {
    rpcUrls: [...targetChain.rpcUrls.default.http],
    get chainName() {
      wasAsked = true;
      return targetChain.name;
    },
  };
  return { chain, wasAsked: () => wasAsked };
}

/** The wallet has added the network and stayed on another one: wagmi says so itself, in the place of the wallet's error. */
const isAddedAlone = (error: unknown): boolean =>
  error instanceof Error && error.cause instanceof UserRejectedRequestError;

/** wagmi makes every failed add one that the user declined (4001): what it was is the cause. */
const addFailure = (error: unknown) =>
  new AddNetworkError("The wallet did not add the network", { cause: error instanceof Error ? error.cause : error });

/** Why the wallet is still on another network. */
function toastFailure(error: unknown, t: Translate): void {
  if (error instanceof AddNetworkError) {
    toast.error(t("wallet.addNetworkError"), {
      id: "network-add",
      description: t(hasCode(error, REJECTED) ? "wallet.declined" : "wallet.addNetworkError.detail"),
    });
  } else if (hasCode(error, REJECTED)) {
    toast.warning(t("wallet.wrongNetwork"), { id: "network", description: t("wallet.declined") });
  } else toastWalletFailure(error, t);
}
