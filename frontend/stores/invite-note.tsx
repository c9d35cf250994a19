import { useQuery } from "@tanstack/react-query";
import { inviteQuery } from "../api/invite-query.ts";
import { useText } from "../i18n/language.tsx";
import { useFormat } from "../i18n/use-format.ts";

/** What an invitation adds to the visit that is about to begin. docs/product.md#invite */
export default function InviteNote({ wallet }: { wallet: string }) {
  const t = useText();
  const { percent } = useFormat();
  const next = useQuery(inviteQuery(wallet)).data?.next_percent;
  return next ? <p role="status">{t("inviteCard.visit", { percent: percent(next) })}</p> : null;
}
