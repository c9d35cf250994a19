import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { shortenAddress } from "../../core/rules/wallet-address.ts";
import { AddressTools } from "../wallet/address-tools.tsx";
import style from "./facts.module.css";
import adminListStyle from "./list/admin-list.module.css";
import { walletNameQuery } from "./people/queries.ts";

export type FactRow = readonly [label: string, value: ReactNode];

/** Labels with values: null shows a dash, undefined is omitted. */
export function Facts({ rows, look }: { rows: readonly FactRow[]; look?: "consequences" }) {
  return (
    <dl className={look ? `facts ${style.consequences}` : "facts"}>
      {rows
        .filter(([, value]) => value !== undefined)
        .map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd className="figures">{value === null || value === "" ? "–" : value}</dd>
          </div>
        ))}
    </dl>
  );
}

/** A wallet in a sentence: whose it is, and its short address, as two people may have one name or role. */
export function WalletName({ address }: { address: string }) {
  const { data: name } = useQuery(walletNameQuery(address));
  return (
    <span className="figures" title={address}>
      {name && `${name}, `}
      {shortenAddress(address)}
    </span>
  );
}

/** A wallet in a list: whose it is, and its short address. */
export function ShortWallet({ address }: { address: string }) {
  const { data: name } = useQuery(walletNameQuery(address));
  return (
    <span title={address} className={style.shortWallet}>
      {name}
      <span className={name ? `${adminListStyle.note} figures` : "figures"}>{shortenAddress(address)}</span>
    </span>
  );
}

/** A wallet in full, to compare, with whose it is. */
export function WholeWallet({ address }: { address: string | null }) {
  return address === null ? "–" : <NamedWhole address={address} />;
}

function NamedWhole({ address }: { address: string }) {
  const { data: name } = useQuery(walletNameQuery(address));
  return (
    <>
      {name && <span className="block">{name}</span>}
      <span className={style.wholeHash}>{address}</span>
      <AddressTools address={address} />
    </>
  );
}
