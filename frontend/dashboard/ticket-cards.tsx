import { type ReactNode, startTransition, useState } from "react";
import { FormattedMessage } from "react-intl";
import type { PurchaseNft } from "../../core/rules/api/people.ts";
import { percentText, reaisText } from "../../core/rules/money.ts";
import { PRODUCT_NAME } from "../../core/rules/product.ts";
import { shortenAddress } from "../../core/rules/wallet-address.ts";
import { type NftFacts, readStatus } from "../api/nft-facts.ts";
import type { PurchaseRecord } from "../api/shapes.ts";
import { useText } from "../i18n/language.tsx";
import { useFormat } from "../i18n/use-format.ts";
import { fetchedDialog } from "../ui/fetched-dialog.tsx";
import { Picture } from "../ui/picture.tsx";
import { Barcode, BlankTicket, Stamp, Ticket } from "../ui/ticket.tsx";
import { type Reading, totalPercent } from "./statement.ts";

const NftDetails = fetchedDialog(() => import("./nft-details.tsx"));

/** A purchase with a ticket on the chain. */
export function NftTicket({
  nft,
  facts,
  reading,
  purchase,
  amount,
  note,
}: {
  nft: PurchaseNft;
  facts: NftFacts;
  reading: Reading | undefined;
  purchase: PurchaseRecord | undefined;
  /** What arrived, or is to come, in CHZ, decimal text. */
  amount: string;
  note: ReactNode;
}) {
  const t = useText();
  const { brl, percent, chz } = useFormat();
  const [isOpen, setOpen] = useState(false);
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
  const tone = isWaiting ? "pending" : facts.status;
  return (
    <article data-status={tone} aria-busy={isWaiting}>
      <Ticket
        tone={tone}
        kicker={t("nft.kicker", { id: nft.tokenId })}
        title={<h3>{facts.store}</h3>}
        fields={[
          {
            label: t("ticket.cashback"),
            isMain: true,
            value: known(
              <>
                <span>
                  {facts.cashbackBps === undefined ? facts.percentText : percent(percentText(facts.cashbackBps))}
                </span>{" "}
                <small>{chz(amount)}</small>
              </>,
            ),
          },
          {
            label: t("ticket.value"),
            value: known(facts.valueCents === undefined ? facts.valueText : brl(reaisText(facts.valueCents))),
          },
          {
            label: t("ticket.wallet"),
            value: known(facts.buyer ? shortenAddress(facts.buyer.toLowerCase()) : "–"),
          },
        ]}
        stamp={!isWaiting && <Stamp kind={facts.status}>{t(`status.${facts.status}`)}</Stamp>}
        stub={
          <Stub
            nft={nft}
            // In a transition: the page does not change until the dialog's code is loaded.
            onDetails={() => startTransition(() => setOpen(true))}
          />
        }
      >
        {reading === "server" && <Unchecked />}
        {note}
      </Ticket>
      {isOpen && <NftDetails nft={nft} purchase={purchase} onClose={() => setOpen(false)} />}
    </article>
  );
}

/** The server's figures, because the chain does not answer. */
export function Unchecked() {
  return (
    <p className="muted text-sm">
      <FormattedMessage id="ticket.unchecked" />
    </p>
  );
}

function Stub({ nft, onDetails }: { nft: PurchaseNft; onDetails: () => void }) {
  const t = useText();
  const placeholder = (
    <span className="nft-image nft-placeholder">
      <BlankTicket />
      <span className="sr-only">{t("nft.placeholder")}</span>
    </span>
  );
  return (
    <>
      <Picture
        src={nft.metadata.image}
        alt={t("nft.image", { name: nft.metadata.name || nft.name })}
        className="nft-image"
        fallback={placeholder}
      />
      <Barcode />
      <button
        type="button"
        className="button button-small button-quiet"
        title={t("nft.kicker", { id: nft.tokenId })}
        onClick={onDetails}
      >
        {t("nft.details")}
      </button>
    </>
  );
}

/** A stored purchase without a ticket yet. */
export function RecordTicket({
  purchase,
  amount,
  note,
}: {
  purchase: PurchaseRecord;
  amount: string;
  note: ReactNode;
}) {
  const t = useText();
  const { brl, percent, chz, date } = useFormat();
  const status = purchase.status ?? readStatus(purchase.stored_status ?? "");
  const isConfirmed = status === "confirmed";
  const kind = isConfirmed ? "confirmed" : status === "cancelled" ? "cancelled" : "pending";
  return (
    <article data-status={kind} className={kind === "pending" ? "pulse" : undefined}>
      <Ticket
        tone={kind}
        kicker={t("record.kicker", { id: String(purchase.id) })}
        title={<h3>{purchase.store}</h3>}
        fields={[
          {
            label: t("ticket.cashback"),
            isMain: true,
            value: (
              <>
                <span>{percent(totalPercent(purchase))}</span> <small>{chz(amount)}</small>
              </>
            ),
          },
          { label: t("ticket.value"), value: brl(purchase.amount) },
          { label: t("ticket.date"), value: date(purchase.date) },
          { label: t("ticket.wallet"), value: shortenAddress((purchase.destination ?? "").toLowerCase()) },
        ]}
        stamp={<Stamp kind={kind}>{t(`stored.${kind}`)}</Stamp>}
        stub={
          <>
            <span className="stub-text">{purchase.tokenType || PRODUCT_NAME}</span>
            <Barcode />
          </>
        }
      >
        {note}
      </Ticket>
    </article>
  );
}
