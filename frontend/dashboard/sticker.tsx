import { type ReactNode, startTransition, useState } from "react";
import { FormattedMessage } from "react-intl";
import { Link } from "react-router";
import { PRODUCT_NAME } from "../../core/rules/product.ts";
import { shortenAddress } from "../../core/rules/wallet-address.ts";
import { paths } from "../app/paths.ts";
import { useText } from "../i18n/language.tsx";
import { useFormat } from "../i18n/use-format.ts";
import { fetchedDialog } from "../ui/fetched-dialog.tsx";
import { NoDrawing } from "../ui/no-drawing.tsx";
import { Picture } from "../ui/picture.tsx";
import { Stamp } from "../ui/ticket.tsx";
import style from "./album.module.css";
import { PaidWorth, Unchecked, Why } from "./entry-why.tsx";
import { OfTicket } from "./of-ticket.tsx";
import { amountOf, type Entry } from "./statement.ts";

const NftDetails = fetchedDialog(() => import("./nft-details.tsx"));

/** A ticket as its contract draws it, or the place of one that is not on the chain yet, with its facts and what it waits for. */
export function Sticker({ entry }: { entry: Entry }) {
  const t = useText();
  const { brl, percent, chz, date } = useFormat();
  const [isOpen, setOpen] = useState(false);
  const { nft, purchase, reading } = entry;
  // One tree: what is open in a ticket stays so when its contract answers.
  const isWaiting = reading === "waiting";
  const known = (value: ReactNode) =>
    isWaiting ? (
      <span aria-hidden="true" data-skeleton>
        —
      </span>
    ) : (
      value
    );
  const amount = amountOf({ kind: "purchase", id: entry.id, date: entry.date, entry });
  const tone = isWaiting ? "pending" : nft ? entry.status : storedWord(entry.status);
  return (
    <article className={style.sticker} data-status={tone} data-record={nft ? undefined : tone} aria-busy={isWaiting}>
      <header>
        <h5>{entry.store}</h5>
        <p className={style.kicker}>{t(nft ? "nft.kicker" : "record.kicker", { id: entry.id })}</p>
        {!isWaiting && <Stamp kind={tone}>{nft ? t(`status.${tone}`) : t(`stored.${storedWord(tone)}`)}</Stamp>}
      </header>
      {nft ? (
        <Picture
          src={nft.metadata.image}
          alt={t("nft.image", { name: nft.metadata.name || nft.name })}
          className={style.drawing}
          fallback={<NoDrawing club={nft.club_slug}>{t("nft.placeholder")}</NoDrawing>}
        />
      ) : (
        <NoDrawing club={purchase?.club_slug}>{purchase?.tokenType || PRODUCT_NAME}</NoDrawing>
      )}
      <dl>
        <div>
          <dt>{t("ticket.cashback")}</dt>
          <dd className={style.money}>
            {known(
              <>
                <span>{entry.percent === undefined ? entry.percentText : percent(entry.percent)}</span>{" "}
                <strong className="figures">{chz(amount)}</strong>
              </>,
            )}
          </dd>
        </div>
        <div>
          <dt>{t("ticket.value")}</dt>
          <dd className="figures">{known(entry.value === undefined ? entry.valueText : brl(entry.value))}</dd>
        </div>
        {!nft && entry.date && (
          <div>
            <dt>{t("ticket.date")}</dt>
            <dd className="figures">{date(entry.date)}</dd>
          </div>
        )}
        <div>
          <dt>{t("ticket.wallet")}</dt>
          <dd className="figures">{known(entry.wallet ? shortenAddress(entry.wallet) : "–")}</dd>
        </div>
      </dl>
      {reading === "server" && <Unchecked />}
      <p className={style.note}>
        <Why entry={entry} /> <PaidWorth purchase={purchase} isInline />
      </p>
      {nft && (
        <p className={style.actions}>
          <button
            type="button"
            className="link"
            // In a transition: the page does not change until the dialog's code is loaded.
            onClick={() => startTransition(() => setOpen(true))}
          >
            <FormattedMessage id="nft.details" />
            <OfTicket id={entry.id} />
          </button>
          <Link className="link" to={paths.ticket(entry.id)}>
            <FormattedMessage id="ticket.page" />
            <OfTicket id={entry.id} />
          </Link>
        </p>
      )}
      {isOpen && nft && <NftDetails nft={nft} purchase={purchase} onClose={() => setOpen(false)} />}
    </article>
  );
}

/** The specification's words of a stored record. docs/product.md#purchase-states */
const storedWord = (tone: Entry["status"]) => (tone === "confirmed" || tone === "cancelled" ? tone : "pending");
