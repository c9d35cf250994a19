import type { ReactNode } from "react";
import { shortenAddress } from "../../domain/wallet-address.ts";

export type FactRow = readonly [label: string, value: ReactNode];

/** Labels with values: null shows a dash, undefined is omitted. */
export function Facts({ rows }: { rows: readonly FactRow[] }) {
  return (
    <dl className="facts">
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

/** A wallet, short; the whole address is its title. */
export function ShortWallet({ address }: { address: string }) {
  return (
    <span className="figures" title={address}>
      {shortenAddress(address)}
    </span>
  );
}

/** A wallet in full, to compare. */
export function WholeWallet({ address }: { address: string | null }) {
  return address === null ? "–" : <span className="whole-hash">{address}</span>;
}
