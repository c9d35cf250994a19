import { type EveryNode, NoAgreementError } from "../../core/process/rpc/every-node.ts";
import { HOUR_MS } from "../../core/rules/iso-time.ts";
import type { WalletAddress } from "../../core/rules/wallet-address.ts";
import type { AdminEntry } from "../environment.ts";
import { DELEGATION } from "./signatures.ts";

/** Those of the team whose address is a contract that `ADMIN_WALLETS` does not name as one: they cannot sign in. */
export async function unnamedContracts(
  everyNode: Pick<EveryNode, "claimed">,
  admins: readonly AdminEntry[],
): Promise<WalletAddress[]> {
  const keys = admins.flatMap(({ wallet, isContract }) => (isContract ? [] : [wallet]));
  if (keys.length === 0) return [];
  const { shown } = await everyNode.claimed(
    "the team's contracts",
    keys.map((wallet) => ({ codeOf: wallet })),
  );
  return keys.filter((_, index) => {
    const code = shown[index] ?? "0x";
    return code !== "0x" && !code.startsWith(DELEGATION);
  });
}

/** One sentence; undefined without any. docs/product.md#staff-key */
export function unnamedText(wallets: readonly WalletAddress[]): string | undefined {
  if (wallets.length === 0) return undefined;
  return wallets
    .map((wallet) => `ADMIN_WALLETS names a contract without saying so: add :contract to ${wallet}`)
    .join("; ");
}

/** Looks at the team's addresses when the api starts, and each hour, since a contract can be deployed at one later. */
export class StaffContracts {
  readonly #everyNode: EveryNode;
  readonly #admins: readonly AdminEntry[];
  #found: readonly WalletAddress[] = [];

  constructor(everyNode: EveryNode, admins: readonly AdminEntry[]) {
    this.#everyNode = everyNode;
    this.#admins = admins;
  }

  get problem(): string | undefined {
    return unnamedText(this.#found);
  }

  /** Returns when to look again, in milliseconds. */
  async look(): Promise<number> {
    try {
      this.#found = await unnamedContracts(this.#everyNode, this.#admins);
      return HOUR_MS;
    } catch (error) {
      if (error instanceof NoAgreementError) return AGAIN_MS;
      throw error;
    }
  }
}

const AGAIN_MS = 10_000;
