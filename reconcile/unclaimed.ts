import { z } from "zod";
import type { Contracts } from "../chain/deployment.ts";
import { readSetting, writeSetting } from "../database/settings.ts";
import type { Queries } from "../database/transaction.ts";

const acceptedSchema = z.object({ contract: z.string(), upTo: z.coerce.bigint() });

/** The highest id of a ticket without a purchase that an operator knows; 0 if there is none. */
export async function readAccepted(queries: Queries, { purchaseNft }: Pick<Contracts, "purchaseNft">): Promise<bigint> {
  const stored = JSON.parse((await readSetting(queries, "unclaimed_accepted")) ?? "null");
  const { data } = acceptedSchema.safeParse(stored);
  return data?.contract === purchaseNft ? data.upTo : 0n;
}

/** Tickets without a purchase up to this id are no contradiction any more. */
export async function acceptUnclaimed(
  queries: Queries,
  { purchaseNft }: Pick<Contracts, "purchaseNft">,
  upTo: bigint,
): Promise<void> {
  await writeSetting(queries, "unclaimed_accepted", JSON.stringify({ contract: purchaseNft, upTo: String(upTo) }));
}
