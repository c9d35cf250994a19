import { FormattedMessage } from "react-intl";
import { Link } from "react-router";
import { paths } from "../app/paths.ts";
import { useFormat } from "../i18n/use-format.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Picture } from "../ui/picture.tsx";
import { ShareTicket } from "../ui/share-ticket.tsx";
import { ticketImage } from "../ui/ticket-image.ts";
import type { PaidTicket } from "./newly-paid.ts";

/** The ticket whose cashback has just arrived, over the whole screen, once. docs/product.md#paid-moment */
export default function PaidMoment({
  ticket: { tokenId, store, amount },
  onClose,
}: {
  ticket: PaidTicket;
  onClose: () => void;
}) {
  const { chz } = useFormat();
  return (
    <Dialog
      look="moment"
      title={<FormattedMessage id="moment.title" />}
      onClose={onClose}
      actions={<ShareTicket tokenId={tokenId} store={store} paid={amount} />}
    >
      <div className="moment">
        <p className="moment-amount figures">{chz(amount)}</p>
        <p>
          <FormattedMessage id="moment.text" values={{ store }} />
        </p>
        <Picture src={ticketImage(tokenId)} alt="" className="moment-art" fallback={null} isEager />
        <Link className="link" to={paths.ticket(tokenId)} onClick={onClose}>
          <FormattedMessage id="moment.open" />
        </Link>
      </div>
    </Dialog>
  );
}
