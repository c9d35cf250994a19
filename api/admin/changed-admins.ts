import { appendAudit, inAuditedTransaction } from "../../core/database/audit-log.ts";
import { readSetting, writeSetting } from "../../core/database/settings.ts";
import { noteOwners } from "../operations/notices.ts";
import type { Services } from "../services.ts";

/**
 * Whoever may change the environment makes admins: the first start that reads another `ADMIN_WALLETS` than the last one
 * writes it into the audit log and tells the owners. docs/product.md#admin
 */
export async function tellChangedAdmins(services: Services): Promise<void> {
  const entries = [...services.adminWallets].map(([wallet, role]) => `${wallet}:${role}`).sort();
  const changed = await inAuditedTransaction(services.database.kysely, null, async (queries) => {
    const known = await readSetting(queries, "admin_wallets");
    const before = known?.split(" ").filter(Boolean) ?? [];
    const added = entries.filter((one) => !before.includes(one));
    const removed = before.filter((one) => !entries.includes(one));
    if (known !== undefined && added.length + removed.length === 0) return undefined;
    await writeSetting(queries, "admin_wallets", entries.join(" "));
    if (known === undefined) return undefined;
    await appendAudit(queries, {
      actor: "system",
      action: "admins.changed",
      subject: "admins",
      detail: { added, removed },
    });
    const words = [...added.map((one) => `+ ${one}`), ...removed.map((one) => `- ${one}`)].join(", ");
    const count = added.length + removed.length;
    await noteOwners(services, queries, { kind: "admins_changed", count, text: `ADMIN_WALLETS changed: ${words}` });
    return { added, removed };
  });
  if (changed) services.log.warn(changed, "ADMIN_WALLETS has changed since the last start");
}
