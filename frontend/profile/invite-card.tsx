import { useQuery } from "@tanstack/react-query";
import { inviteQuery } from "../api/invite-query.ts";
import { useText } from "../i18n/language.tsx";
import { useFormat } from "../i18n/use-format.ts";
import { Card } from "../ui/card.tsx";
import { Skeletons } from "../ui/skeleton.tsx";
import { RetryPanel } from "../ui/state-panel.tsx";
import { useCopy } from "../ui/use-copy.ts";

/** The user's link for friends. docs/product.md#invite */
export default function InviteCard({ wallet }: { wallet: string }) {
  const t = useText();
  const { percent } = useFormat();
  const own = useQuery(inviteQuery(wallet));
  const copy = useCopy("share.copied", "share.notCopied");
  if (own.isError) return <RetryPanel title={t("inviteCard.title")} query={own} />;
  if (!own.data) return <Skeletons count={1} className="h-48" />;
  const { url, used, left, bonus_percent, next_percent } = own.data;
  const share = () => navigator.share({ url, text: t("inviteCard.message") });
  return (
    <Card title={t("inviteCard.title")}>
      <p className="muted">{t("inviteCard.text", { percent: percent(bonus_percent) })}</p>
      {next_percent && <p role="status">{t("inviteCard.next", { percent: percent(next_percent) })}</p>}
      <p>{url}</p>
      <p className="action-row">
        <button type="button" className="button button-small button-quiet" onClick={() => copy(url)}>
          {t("share.copy")}
        </button>
        {"share" in navigator && (
          // Closing the share sheet is not an error.
          <button type="button" className="button button-small" onClick={() => share().catch(() => {})}>
            {t("share.share")}
          </button>
        )}
      </p>
      <p className="muted">{t("inviteCard.count", { used, left })}</p>
    </Card>
  );
}
