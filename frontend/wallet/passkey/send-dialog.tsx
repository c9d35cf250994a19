import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { chzTextFromWei, reaisText } from "../../../core/rules/money.ts";
import { toWalletAddress } from "../../../core/rules/wallet-address.ts";
import { configQuery } from "../../api/queries.ts";
import { paths } from "../../app/paths.ts";
import { targetChain } from "../../chain/target-chain.ts";
import { type MessageId, useText } from "../../i18n/language.tsx";
import { useFormat } from "../../i18n/use-format.ts";
import { useSession } from "../../session/session.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Field } from "../../ui/field.tsx";
import { useOneSubmit } from "../../ui/use-one-at-a-time.ts";
import { hasCode, REQUEST_PENDING } from "../errors.ts";
import type { PasskeyWallet } from "./kept.ts";
import { NotSentError } from "./not-sent.ts";
import { passkeyProblem } from "./passkey-problem.ts";
import { balanceQuery, feeQuery, type Receiver, receiverQuery } from "./queries.ts";
import { readChz } from "./read-chz.ts";
import type { AddressCheck } from "./send-rules.ts";

const ADDRESS_PROBLEMS: Partial<Record<AddressCheck, MessageId>> = {
  bad: "passkey.send.bad",
  mistyped: "passkey.send.mistyped",
  own: "passkey.send.own",
  zero: "passkey.send.zero",
};

/** What is proposed to be sent first, to see it arrive. */
const SMALL = { text: "1", leastBalance: 2n * 10n ** 18n };

/** Sends CHZ from a wallet that no other app can open yet. docs/product.md#wallet-passkey */
export default function SendDialog({ wallet, onClose }: { wallet: PasskeyWallet; onClose: () => void }) {
  const t = useText();
  const { exactChz, brl } = useFormat();
  const { refresh } = useSession();
  const config = useQuery(configQuery).data;
  const client = useQueryClient();
  const balance = useQuery(balanceQuery(wallet.address));
  const [to, setTo] = useState("");
  const [amount, setAmount] = useState("");
  const [isAll, setAll] = useState(false);
  const [isChecked, setChecked] = useState(false);
  const [isSure, setSure] = useState(false);
  const address = to.trim();
  const receiver = useQuery(receiverQuery(address, wallet.address)).data;
  const isRight = receiver !== undefined && ADDRESS_PROBLEMS[receiver.check] === undefined;
  // Of a transfer to oneself, until it is known to whom.
  const fee = useQuery(feeQuery(wallet.address, isRight ? toWalletAddress(address) : wallet.address)).data;
  const most = balance.data !== undefined && fee !== undefined ? balance.data - fee : undefined;
  const wei = isAll ? most : readChz(amount);
  const warning = warningOf(receiver);
  const sending = useMutation({
    mutationFn: async (wanted: bigint | "all") =>
      (await import("./sending.ts")).sendChz(wallet.address, toWalletAddress(address), wanted),
    onSuccess: async () => {
      await Promise.all([refresh(), balance.refetch()]).catch(() => undefined);
    },
  });
  const submit = useOneSubmit(async () => {
    setChecked(true);
    const wanted = isAll ? "all" : wei;
    const found = await client.fetchQuery(receiverQuery(address, wallet.address)).catch(() => undefined);
    if (!found || ADDRESS_PROBLEMS[found.check] || wanted === undefined || (warningOf(found) && !isSure)) return;
    await sending.mutateAsync(wanted).catch(() => undefined);
  });
  if (sending.data) {
    return (
      <Dialog title={t("passkey.send")} onClose={onClose} leave={t("common.close")}>
        <div role="status" className="success">
          <p className="font-semibold">{t(sending.data.hasArrived ? "passkey.send.done" : "passkey.send.waiting")}</p>
          <p>
            <Link className="link" to={paths.transaction(sending.data.hash)}>
              {t("passkey.send.see")}
            </Link>
          </p>
        </div>
      </Dialog>
    );
  }
  const addressProblem = isChecked && receiver ? ADDRESS_PROBLEMS[receiver.check] : undefined;
  const isCents = (of: bigint) => of >= BigInt(config.wei_per_cent);
  const reais = (of: bigint) => brl(reaisText(of / BigInt(config.wei_per_cent)));
  const inChz = (of: bigint) => exactChz(chzTextFromWei(of));
  const inBoth = (of: bigint) =>
    isCents(of) ? t("passkey.transaction.reais", { amount: inChz(of), value: reais(of) }) : inChz(of);
  return (
    <Dialog
      title={t("passkey.send")}
      onClose={onClose}
      leave={t("common.cancel")}
      actions={
        <button type="submit" form="passkey-send" className="button" disabled={sending.isPending}>
          {t(sending.isPending ? "passkey.send.busy" : "passkey.send.go")}
        </button>
      }
    >
      <form id="passkey-send" className="grid gap-4" onSubmit={submit} noValidate>
        <p>{t("passkey.send.network", { network: targetChain.name })}</p>
        <p className="muted">{t("passkey.send.small")}</p>
        {balance.data !== undefined && balance.data >= SMALL.leastBalance && (
          <p>
            <button
              type="button"
              className="link"
              onClick={() => {
                setAll(false);
                setAmount(SMALL.text);
              }}
            >
              {t("passkey.send.small.go", { chz: `${SMALL.text} CHZ` })}
            </button>
          </p>
        )}
        <Field label={t("passkey.send.to")} problem={addressProblem && t(addressProblem)}>
          {(control) => (
            <input
              value={to}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              placeholder="0x..."
              onChange={(event) => {
                setTo(event.target.value);
                setSure(false);
              }}
              {...control}
            />
          )}
        </Field>
        {warning && (
          <label className="check">
            <input type="checkbox" checked={isSure} onChange={(event) => setSure(event.target.checked)} />
            <span>{t(warning)}</span>
          </label>
        )}
        {warning && isChecked && !isSure && (
          <p role="alert" className="problem">
            {t("passkey.send.sure")}
          </p>
        )}
        <Field
          label={t("passkey.send.amount")}
          hint={
            wei !== undefined && isCents(wei)
              ? isAll
                ? inBoth(wei)
                : t("passkey.send.reais", { value: reais(wei) })
              : undefined
          }
          problem={isChecked && !isAll && wei === undefined ? t("passkey.send.noAmount") : undefined}
        >
          {(control) => (
            <input
              value={isAll ? t("passkey.send.everything") : amount}
              inputMode="decimal"
              autoComplete="off"
              onChange={(event) => {
                setAll(false);
                setAmount(isAll ? "" : event.target.value);
              }}
              {...control}
            />
          )}
        </Field>
        <p>
          {balance.data !== undefined && t("passkey.send.balance", { chz: inChz(balance.data) })}{" "}
          <button type="button" className="link" onClick={() => setAll(true)}>
            {t("passkey.send.all")}
          </button>
        </p>
        {fee !== undefined && <p className="muted">{t("passkey.transaction.fee", { fee: inBoth(fee) })}</p>}
        {sending.error && (
          <p role="alert" className="problem" ref={showOnce}>
            {t(problemOf(sending.error))}
          </p>
        )}
      </form>
    </Dialog>
  );
}

/** It may stand below what a phone shows of the form. */
function showOnce(text: HTMLElement | null): void {
  text?.scrollIntoView({ block: "nearest" });
}

const warningOf = (receiver: Receiver | undefined): MessageId | undefined =>
  receiver?.isContract
    ? "passkey.send.contract"
    : receiver?.check === "unchecked"
      ? "passkey.send.unchecked"
      : undefined;

function problemOf(error: unknown): MessageId {
  if (error instanceof NotSentError) return error.reason;
  const problem = passkeyProblem(error);
  if (problem) return problem;
  return hasCode(error, REQUEST_PENDING) ? "wallet.requestPending" : "passkey.send.failed";
}
