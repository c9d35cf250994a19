import { useId } from "react";
import { Link } from "react-router";
import { paths } from "../app/paths.ts";
import { useText } from "../i18n/language.tsx";
import { useFormat } from "../i18n/use-format.ts";
import { Icon } from "../ui/icon.tsx";
import { Picture } from "../ui/picture.tsx";
import { ShareTicket } from "../ui/share-ticket.tsx";
import { ticketImage } from "../ui/ticket-image.ts";
import type { PaidTicket } from "./newly-paid.ts";
import style from "./paid-moment.module.css";

/** The ticket whose cashback has just arrived: over the whole screen for a moment, then on a card. docs/product.md#paid-moment */
export default function PaidMoment({
  ticket: { tokenId, store, amount },
  onClose,
}: {
  ticket: PaidTicket;
  onClose: () => void;
}) {
  const t = useText();
  const { chz } = useFormat();
  const id = useId();
  return (
    <section className={style.moment} aria-labelledby={id}>
      <div className={style.flash} aria-hidden="true">
        <p className={`figures ${style.amount}`}>{chz(amount)}</p>
        <Picture src={ticketImage(tokenId)} alt="" className={style.art} fallback={null} isEager />
      </div>
      <div className={style.head}>
        <h2 id={id}>{t("moment.title")}</h2>
        <button type="button" className="icon-button" aria-label={t("common.close")} onClick={onClose}>
          <Icon name="close" />
        </button>
      </div>
      <p className={`figures ${style.amount}`}>{chz(amount)}</p>
      <p>{t("moment.text", { store })}</p>
      <Link className="link" to={paths.ticket(tokenId)} onClick={onClose}>
        {t("moment.open")}
      </Link>
      <ShareTicket tokenId={tokenId} store={store} paid={amount} />
    </section>
  );
}
