import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { type Hex, isAddress } from "viem";
import { readContract, waitForTransactionReceipt, writeContract } from "wagmi/actions";
import { creditOf, withdrawCredit } from "../../core/chain/generated/cashback-distributor.ts";
import { toWalletAddress, type WalletAddress } from "../../core/rules/wallet-address.ts";
import { distributors } from "../chain/contracts.ts";
import { targetChain } from "../chain/target-chain.ts";
import { useText } from "../i18n/language.tsx";
import { useSession } from "../session/session.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Field } from "../ui/field.tsx";
import { toast } from "../ui/toast.ts";
import { useOneSubmit } from "../ui/use-one-at-a-time.ts";
import { wagmiConfig } from "../wallet/config.ts";
import { hasCode, REJECTED } from "../wallet/errors.ts";
import { useConnectWallet } from "../wallet/use-connect-wallet.ts";
import { useWallet } from "../wallet/use-wallet.ts";

/** Sends what the owner's wallet refused to another address; answers whether there was anything. docs/product.md#payout-deferred */
async function withdraw(owner: WalletAddress, to: Hex): Promise<boolean> {
  let isAny = false;
  for (const address of distributors()) {
    const distributor = { address, abi: [creditOf, withdrawCredit], chainId: targetChain.id };
    const credit = await readContract(wagmiConfig, { ...distributor, functionName: "creditOf", args: [owner] });
    if (credit === 0n) continue;
    const hash = await writeContract(wagmiConfig, {
      ...{ ...distributor, functionName: "withdrawCredit", args: [to] },
      account: owner,
    });
    const receipt = await waitForTransactionReceipt(wagmiConfig, { hash, chainId: targetChain.id });
    if (receipt.status !== "success") throw new Error(`The withdrawal ${hash} was reverted`);
    isAny = true;
  }
  return isAny;
}

/** Asks for the address that takes a credit, since the wallet itself refused it. */
export default function WithdrawCredit({ onClose }: { onClose: () => void }) {
  const t = useText();
  const wallet = useWallet();
  const { connect } = useConnectWallet();
  const { profile, refresh } = useSession();
  const [to, setTo] = useState("");
  const isOwn = wallet.address !== undefined && wallet.address === profile?.wallet;
  const address = to.trim();
  const [isChecked, setChecked] = useState(false);
  const isWrong = isChecked && !isAddress(address);
  const { mutateAsync, isPending, data, error } = useMutation({
    mutationFn: (owner: WalletAddress) => withdraw(owner, toWalletAddress(address)),
    onSuccess: async (isAny) => {
      if (!isAny) return;
      toast.success(t("credit.done"), { id: "credit" });
      onClose();
      await refresh();
    },
  });
  const send = useOneSubmit(async () => {
    setChecked(true);
    if (wallet.address && isAddress(address)) await mutateAsync(wallet.address).catch(() => undefined);
  });
  const problem = error
    ? hasCode(error, REJECTED)
      ? "wallet.declined"
      : "credit.failed"
    : data === false && "credit.none";
  return (
    <Dialog
      title={t("credit.title")}
      onClose={onClose}
      leave={t("common.cancel")}
      actions={
        isOwn ? (
          <button type="submit" form="credit" className="button" disabled={isPending}>
            {t(isPending ? "credit.sending" : "credit.withdraw")}
          </button>
        ) : (
          <button type="button" className="button" aria-busy={wallet.isConnecting} onClick={connect}>
            {t("wallet.connect")}
          </button>
        )
      }
    >
      <form id="credit" onSubmit={send} noValidate>
        <p className="muted mb-4">{t(isOwn ? "credit.text" : "credit.connect")}</p>
        <Field label={t("credit.to")} problem={isWrong ? t("credit.badAddress") : undefined}>
          {(control) => (
            <input
              value={to}
              autoComplete="off"
              spellCheck={false}
              placeholder="0x..."
              onChange={(event) => setTo(event.target.value)}
              {...control}
            />
          )}
        </Field>
        {problem && !isWrong && (
          <p role="alert" className="problem mt-3">
            {t(problem)}
          </p>
        )}
      </form>
    </Dialog>
  );
}
