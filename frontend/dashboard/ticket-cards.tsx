import { type ReactNode, startTransition, useState } from "react";
import type { PurchaseNft } from "../../core/rules/api/people.ts";
import { percentText, reaisText } from "../../core/rules/money.ts";
import { PRODUCT_NAME } from "../../core/rules/product.ts";
import { shortenAddress } from "../../core/rules/wallet-address.ts";
import { nftFacts, readStatus } from "../api/nft-facts.ts";
import type { PurchaseRecord } from "../api/shapes.ts";
import { useText } from "../i18n/language.tsx";
import { useFormat } from "../i18n/use-format.ts";
import { fetchedDialog } from "../ui/fetched-dialog.tsx";
import { Picture } from "../ui/picture.tsx";
import { Barcode, BlankTicket, Stamp, Ticket } from "../ui/ticket.tsx";
import { totalPercent } from "./statement.ts";

const NftDetails = fetchedDialog(() => import("./nft-details.tsx"));

/** A purchase with a ticket on the chain. */
export function NftTicket({
  nft,
  purchase,
  amount,
  note,
}: {
  nft: PurchaseNft;
  purchase: PurchaseRecord | undefined;
  /** What arrived, or is to come, in CHZ, decimal text. */
  amount: string;
  note: ReactNode;
}) {
  const t = useText();
  const { brl, percent, chz } = useFormat();
  const [isOpen, setOpen] = useState(false);
  const facts = nftFacts(nft);
  return (
    <article data-status={facts.status}>
      <Ticket
        tone={facts.status}
        kicker={t("nft.kicker", { id: nft.tokenId })}
        title={<h3>{facts.store}</h3>}
        fields={[
          {
            label: t("ticket.cashback"),
            isMain: true,
            value: (
              <>
                <span>
                  {facts.cashbackBps === undefined ? facts.percentText : percent(percentText(facts.cashbackBps))}
                </span>{" "}
                <small>{chz(amount)}</small>
              </>
            ),
          },
          {
            label: t("ticket.value"),
            value: facts.valueCents === undefined ? facts.valueText : brl(reaisText(facts.valueCents)),
          },
          { label: t("ticket.wallet"), value: facts.buyer ? shortenAddress(facts.buyer.toLowerCase()) : "–" },
        ]}
        stamp={<Stamp kind={facts.status}>{t(`status.${facts.status}`)}</Stamp>}
        stub={
          <Stub
            nft={nft}
            // In a transition: the page does not change until the dialog's code is loaded.
            onDetails={() => startTransition(() => setOpen(true))}
          />
        }
      >
        {note}
      </Ticket>
      {isOpen && <NftDetails nft={nft} purchase={purchase} onClose={() => setOpen(false)} />}
    </article>
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
