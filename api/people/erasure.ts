import { forgetNotes } from "../../core/database/audit-log.ts";
import { forgetProposals } from "../../core/database/proposals.ts";
import { touchUser } from "../../core/database/touch-user.ts";
import type { Queries } from "../../core/database/transaction.ts";
import { eraseEvents } from "../../core/purchases/events.ts";
import { setFanClub } from "../../core/purchases/fan-figures.ts";
import { forgetInvites } from "../../core/purchases/invites.ts";
import { forgetReasons } from "../../core/purchases/staff.ts";
import type { WalletAddress } from "../../core/rules/wallet-address.ts";
import { forgetClaims } from "../../core/sales/forget.ts";
import { eraseClaimPictures } from "../clicks/pictures.ts";
import { eraseMails } from "../mail/queue.ts";
import { forgetStoredAnswers } from "../purchases/idempotency-keys.ts";
import { erasePush } from "../push/devices.ts";
import { clearProfile } from "./users.ts";

/** Erases a wallet's personal data and ends its sessions; its purchases stay. docs/product.md#erase */
export async function eraseUser(
  queries: Queries,
  wallet: WalletAddress,
  keys: { SALE_REF_KEY?: string | undefined },
): Promise<void> {
  // A new revision invalidates cached responses with the personal data.
  await touchUser(queries, wallet);
  await clearProfile(queries, wallet);
  await queries.deleteFrom("sessions").where("wallet", "=", wallet).execute();
  await queries.deleteFrom("sign_in_nonces").where("wallet", "=", wallet).execute();
  await eraseEvents(queries, wallet);
  await eraseClaimPictures(queries, wallet);
  await forgetClaims(queries, wallet);
  await forgetReasons(queries, wallet);
  await forgetStoredAnswers(queries, wallet);
  await forgetProposals(queries, wallet);
  await forgetNotes(queries, wallet);
  await eraseMails(queries, wallet, keys);
  await erasePush(queries, wallet);
  await forgetInvites(queries, wallet);
  await setFanClub(queries, wallet, null);
}
