import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { StoreCashback } from "../../../core/rules/api/catalogue.ts";
import { type BonusProgram, highestBonus } from "../../../core/rules/bonus.ts";
import { coverOf } from "../../../core/rules/commission.ts";
import { parsePercent, percentText } from "../../../core/rules/money.ts";
import { type RateChange, raiseOf } from "../../../core/rules/sale/value.ts";
import { configQuery } from "../../api/queries.ts";
import { useFormat } from "../../i18n/use-format.ts";
import type { CashbackFields } from "../admin-calls.ts";
import { roleQuery } from "../decisions/permissions.tsx";
import { WalletName } from "../facts.tsx";
import { RichText } from "../rich-text.tsx";
import { t } from "../texts.ts";

type PercentNoticeProps = {
  /** In basis points; undefined while nothing is raised. */
  bps: bigint | undefined;
  /** Whether a store's first day needs nobody else, as for a new category of a network's shop. */
  isFreeAtFirst?: boolean;
};

/** Says before it is asked whether a percent takes a second person, and who that could be. docs/product.md#percent-approvals */
export function PercentNotice({ bps, isFreeAtFirst = false }: PercentNoticeProps) {
  const { percent } = useFormat();
  const { data: role } = useQuery(roleQuery);
  if (!role || bps === undefined || bps <= BigInt(role.percent_alone) * 100n) return null;
  const alone = percent(role.percent_alone);
  return (
    <p className="hint" role="status">
      <span>
        {t(isFreeAtFirst ? "percentNotice.old" : "percentNotice.above", { percent: percent(percentText(bps)), alone })}{" "}
        {whoAgrees(role.approvers.catalogue, alone)}
      </span>
    </p>
  );
}

export type Covering = {
  /** In basis points; undefined while it is no percent. */
  bps: bigint | undefined;
  /** What the network pays, as percent text; absent: not known. */
  commission: string | null | undefined;
  club: string | null | undefined;
};

/** What the network does not pay for, with the figures to say it; undefined: nothing, or it is not known. */
export function uncovered({ bps, commission, club }: Covering, program: BonusProgram) {
  const commissionBps = commission == null ? undefined : bpsOf(commission);
  if (bps === undefined || commissionBps === undefined) return undefined;
  const bonusBps = highestBonus({ club, clubToken: null }, program);
  const cover = coverOf(bps, { commissionBps, bonusBps });
  return cover === "all" ? undefined : { cover, bps, commissionBps, bonusBps };
}

/** Says before it sells what the network would not pay for. */
export function CoverNotice(of: Covering) {
  const { percent } = useFormat();
  const found = uncovered(of, useQuery(configQuery).data.bonus_program);
  if (!found) return null;
  const figures = {
    percent: percent(percentText(found.bps)),
    commission: percent(percentText(found.commissionBps)),
    bonus: percent(percentText(found.bonusBps)),
  };
  return (
    <p className="hint" role="status">
      <span>{t(found.cover === "less" ? "cover.above" : "cover.bonus", figures)}</span>
    </p>
  );
}

function whoAgrees(approvers: readonly string[], alone: string): ReactNode {
  const [one, ...others] = approvers;
  if (one === undefined) return t("percentNotice.nobody", { alone });
  if (others.length > 0) return t("percentNotice.others", { count: approvers.length });
  return <RichText id="percentNotice.one" who={<WalletName address={one} />} />;
}

/** Typed text as basis points; undefined if it is no percent. */
export function bpsOf(text: string): bigint | undefined {
  try {
    return text.trim() === "" ? undefined : parsePercent(text);
  } catch {
    return undefined;
  }
}

/** The highest percent to which saving or deleting a category would raise it, or other sales. */
export function raisedTo(
  cashbacks: readonly StoreCashback[],
  id: number,
  fields: CashbackFields | "deleted",
): bigint | undefined {
  return raiseOf(cashbacks.map(rateOf), BigInt(id), fields === "deleted" ? { deleted: true } : changeOf(fields))?.bps;
}

const rateOf = (one: StoreCashback) => ({
  id: BigInt(one.id),
  plainBps: parsePercent(one.boost?.plain_percent ?? one.cashback_percent),
  groupCode: one.group_code ?? null,
  isDefault: one.is_default ?? false,
});

const changeOf = (fields: CashbackFields): RateChange => ({
  cashbackBps: bpsOf(fields.cashback_percent),
  groupCode: fields.group_code || null,
  isDefault: fields.is_default,
});
