import { getAll, getAllPurchases, getClaims, getClicks, getEvents, getMailChoice } from "../api/calls.ts";
import { fanClubQuery } from "../api/fan-queries.ts";
import { inviteQuery } from "../api/invite-query.ts";
import { getPushChoice } from "../api/push-calls.ts";
import { queryClient } from "../api/queries.ts";
import type { Profile } from "../api/shapes.ts";
import { deployment } from "../app/deployment.ts";
import { download } from "../ui/download.ts";

/** Saves all of the user's data as a file. */
export async function exportData(profile: Profile): Promise<void> {
  download("torcida.json", "application/json", JSON.stringify(await everything(profile), null, 2));
}

/** All data we store about the user, with every page of each list. */
async function everything(profile: Profile) {
  const { wallet, email, fullName, nativeBalance, tokens } = profile;
  const [purchases, visits, claims, events, mail, push, counts_for, invite] = await Promise.all([
    getAllPurchases(),
    getAll(getClicks),
    getAll(getClaims),
    getAll(getEvents),
    getMailChoice(),
    // Without one that a server of 1.0.0 does not know.
    getPushChoice().catch(() => null),
    queryClient.fetchQuery(fanClubQuery(wallet)).then(
      ({ slug }) => slug,
      () => null,
    ),
    deployment.invite_bonus_percent ? queryClient.fetchQuery(inviteQuery(wallet)) : null,
  ]);
  const own = { wallet, email, full_name: fullName, native_balance: nativeBalance, tokens };
  return { ...own, purchases, visits, claims, events, mail, push, invite, counts_for };
}
