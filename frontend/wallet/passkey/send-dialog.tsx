import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { type Hex, numberToHex } from "viem";
import { chzTextFromWei, reaisText } from "../../../core/rules/money.ts";
import { configQuery } from "../../api/queries.ts";
import { paths } from "../../app/paths.ts";
import { client, readBalance } from "../../chain/client.ts";
import { targetChain } from "../../chain/target-chain.ts";
import { type MessageId, useText } from "../../i18n/language.tsx";
import { useFormat } from "../../i18n/use-format.ts";
import { useSession } from "../../session/session.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Field } from "../../ui/field.tsx";
import { useOneSubmit } from "../../ui/use-one-at-a-time.ts";
import { hasCode, REJECTED, REQUEST_PENDING } from "../errors.ts";
import { feesNow, gasOf, isMined } from "./fees.ts";
import type { PasskeyWallet } from "./kept.ts";
import { answer } from "./provider.ts";
import { type AddressCheck, checkAddress, readChz } from "./send-rules.ts";

const ADDRESS_PROBLEMS: Partial<Record<AddressCheck, MessageId>> = {
  bad: "passkey.send.bad",
  mistyped: "passkey.send.mistyped",
  own: "passkey.send.own",
  zero: "passkey.send.zero",
};

/** Why nothing was sent, in the form's own words. */
class NotSent extends Error {
  override readonly name = "NotSent";
  readonly reason: "passkey.send.tooMuch" | "passkey.send.nothing" | "passkey.send.reverted";
  constructor(reason: NotSent["reason"]) {
    super(reason);
    this.reason = reason;
  }
}

/** What sending a value to an address costs at most. */
async function feeOf(from: Hex, to: Hex, value: bigint) {
  const [fees, gas] = await Promise.all([feesNow(), gasOf({ from, to, value })]);
  return { ...fees, gas, wei: gas * fees.maxFeePerGas };
}

/** Sends CHZ to an address, and waits until it has arrived. @returns the transaction's hash */
async function send(from: Hex, to: Hex, wanted: bigint | "all"): Promise<Hex> {
  const balance = await readBalance(from);
  const fee = await feeOf(from, to, 0n);
  const value = wanted === "all" ? balance - fee.wei : wanted;
  if (value <= 0n) throw new NotSent("passkey.send.nothing");
  if (value + fee.wei > balance) throw new NotSent("passkey.send.tooMuch");
  const hash = (await answer({
    method: "eth_sendTransaction",
    params: [
      {
        ...{ from, to, value: numberToHex(value), gas: numberToHex(fee.gas) },
        maxFeePerGas: numberToHex(fee.maxFeePerGas),
        maxPriorityFeePerGas: numberToHex(fee.maxPriorityFeePerGas),
      },
    ],
  })) as Hex;
  if (!(await isMined(hash))) throw new NotSent("passkey.send.reverted");
  return hash;
}

/** Sends CHZ from a wallet that no other app can open yet. docs/product.md#wallet-passkey */
export default function SendDialog({ wallet, onClose }: { wallet: PasskeyWallet; onClose: () => void }) {
  const t = useText();
  const { exactChz, brl } = useFormat();
  const { refresh } = useSession();
  const config = useQuery(configQuery).data;
  const balance = useQuery({
    queryKey: ["passkey-balance", wallet.address],
    queryFn: () => readBalance(wallet.address),
  });
  const [to, setTo] = useState("");
  const [amount, setAmount] = useState("");
  const [isAll, setAll] = useState(false);
  const [isChecked, setChecked] = useState(false);
  const [isSure, setSure] = useState(false);
  const address = to.trim();
  const check = checkAddress(address, wallet.address);
  const code = useQuery({
    queryKey: ["passkey-code", address],
    queryFn: () => client.request({ method: "eth_getCode", params: [address as Hex, "latest"] }),
    enabled: ADDRESS_PROBLEMS[check] === undefined,
  });
  const isContract = code.data !== undefined && code.data !== "0x";
  const wei = isAll ? undefined : readChz(amount);
  const warning = isContract ? "passkey.send.contract" : check === "unchecked" ? "passkey.send.unchecked" : undefined;
  const sending = useMutation({
    mutationFn: (wanted: bigint | "all") => send(wallet.address, address as Hex, wanted),
    onSuccess: async () => {
      await Promise.all([refresh(), balance.refetch()]).catch(() => undefined);
    },
  });
  const submit = useOneSubmit(async () => {
    setChecked(true);
    const wanted = isAll ? "all" : wei;
    if (ADDRESS_PROBLEMS[check] || wanted === undefined || (warning && !isSure)) return;
    await sending.mutateAsync(wanted).catch(() => undefined);
  });
  if (sending.data) {
    return (
      <Dialog title={t("passkey.send")} onClose={onClose} leave={t("common.close")}>
        <div role="status" className="success">
          <p className="font-semibold">{t("passkey.send.done")}</p>
          <p>
            <Link className="link" to={paths.transaction(sending.data)}>
              {t("passkey.send.see")}
            </Link>
          </p>
        </div>
      </Dialog>
    );
  }
  const addressProblem = isChecked ? ADDRESS_PROBLEMS[check] : undefined;
  const inReais = wei === undefined ? undefined : reaisText(wei / BigInt(config.wei_per_cent));
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
        <Field
          label={t("passkey.send.amount")}
          hint={inReais && t("passkey.send.reais", { value: brl(inReais) })}
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
          {balance.data !== undefined && t("passkey.send.balance", { chz: exactChz(chzTextFromWei(balance.data)) })}{" "}
          <button type="button" className="link" onClick={() => setAll(true)}>
            {t("passkey.send.all")}
          </button>
        </p>
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
        {sending.error && (
          <p role="alert" className="problem">
            {t(problemOf(sending.error))}
          </p>
        )}
      </form>
    </Dialog>
  );
}

function problemOf(error: unknown): MessageId {
  if (error instanceof NotSent) return error.reason;
  if (hasCode(error, REJECTED)) return "passkey.refused";
  return hasCode(error, REQUEST_PENDING) ? "wallet.requestPending" : "passkey.send.failed";
}
