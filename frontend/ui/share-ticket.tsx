import { useState } from "react";
import { paths } from "../app/paths.ts";
import { useText } from "../i18n/language.tsx";
import { useFormat } from "../i18n/use-format.ts";
import { sharePicture } from "./share-picture.ts";
import { toast } from "./toast.ts";
import { useCopy } from "./use-copy.ts";

type ShareTicketProps = {
  tokenId: string;
  store: string;
  /** What arrived, in CHZ, decimal text; undefined before that. */
  paid: string | undefined;
};

/** A ticket's picture and link for a friend: by the phone's own share sheet, or as a file. docs/product.md#ticket-picture */
export function ShareTicket({ tokenId, store, paid }: ShareTicketProps) {
  const t = useText();
  const { chz } = useFormat();
  const [isDrawing, setDrawing] = useState(false);
  const url = location.origin + paths.ticket(tokenId);
  const copy = useCopy("share.copied", "share.notCopied");
  const show = async () => {
    setDrawing(true);
    try {
      const { drawTicketPicture } = await import("./ticket-picture.ts");
      const kicker = t(paid === undefined ? "share.picture.ticket" : "share.picture.paid");
      const link = `${location.host}${paths.ticket(tokenId)}`;
      const picture = await drawTicketPicture(tokenId, {
        kicker,
        headline: paid === undefined ? store : chz(paid),
        link,
      });
      await sharePicture(picture, tokenId, { title: store, text: url });
    } catch {
      toast.error(t("share.picture.failed"), { id: "share-picture", description: t("share.picture.failed.hint") });
    } finally {
      setDrawing(false);
    }
  };
  return (
    <p className="action-row">
      <button type="button" className="button" aria-busy={isDrawing} onClick={() => !isDrawing && show()}>
        {t("share.friend")}
      </button>
      <button type="button" className="button button-quiet" onClick={() => copy(url)}>
        {t("share.copy")}
      </button>
    </p>
  );
}
