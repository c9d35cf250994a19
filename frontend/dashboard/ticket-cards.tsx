import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { PurchaseNft } from "../../domain/api/people.ts";
import type { PurchaseRecord } from "../../domain/api/purchases.ts";
import { chzTextFromGwei, percentText, reaisText } from "../../domain/money.ts";
import { shortenAddress } from "../../domain/wallet-address.ts";
import { configQuery } from "../api/queries.ts";
import { DEFAULT_CONFIG } from "../api/shapes.ts";
import { useText } from "../i18n/language.tsx";
import { useFormat } from "../i18n/use-format.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Icon } from "../ui/icon.tsx";
import { Picture } from "../ui/picture.tsx";
import { BlankTicket, Stamp, Ticket } from "../ui/ticket.tsx";
import { ExplorerLink } from "./explorer-link.tsx";
import { factsGwei, nftFacts, readStatus } from "./tickets.ts";
import { Timeline } from "./timeline.tsx";

/** A purchase that is on the chain. */
export function NftTicket({ nft, purchase }: { nft: PurchaseNft; purchase: PurchaseRecord | undefined }) {
  const t = useText();
  const { brl, percent, chz } = useFormat();
  const config = useQuery(configQuery).data ?? DEFAULT_CONFIG;
  const [isOpen, setOpen] = useState(false);
  const facts = nftFacts(nft);
  const chzText = purchase?.cashback_amount ?? chzTextFromGwei(factsGwei(facts, BigInt(config.wei_per_cent)));
  const placeholder = (
    <span className="nft-image nft-placeholder">
      <BlankTicket />
      <span className="sr-only">{t("nft.placeholder")}</span>
    </span>
  );
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
                <small>{chz(chzText)}</small>
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
          <>
            <Picture
              src={nft.metadata.image}
              alt={t("nft.image", { name: nft.metadata.name || nft.name })}
              className="nft-image"
              fallback={placeholder}
            />
            <button
              type="button"
              className="button button-small button-quiet"
              title={t("nft.kicker", { id: nft.tokenId })}
              onClick={() => setOpen(true)}
            >
              {t("nft.details")}
            </button>
          </>
        }
      />
      {isOpen && <NftDetails nft={nft} purchase={purchase} onClose={() => setOpen(false)} />}
    </article>
  );
}

function NftDetails({
  nft,
  purchase,
  onClose,
}: {
  nft: PurchaseNft;
  purchase: PurchaseRecord | undefined;
  onClose: () => void;
}) {
  const t = useText();
  const facts: [string, string][] = [
    [t("nft.name"), nft.metadata.name || nft.name],
    [t("nft.description"), nft.metadata.description],
    [t("nft.collection"), nft.name],
    [t("nft.symbol"), nft.symbol],
    [t("nft.tokenId"), nft.tokenId],
    [t("nft.contract"), nft.contract],
  ];
  return (
    <Dialog title={t("nft.details.title")} onClose={onClose} isWide>
      <Picture src={nft.metadata.image} alt="" className="nft-art" fallback={null} />
      <dl className="facts">
        {facts.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value || "–"}</dd>
          </div>
        ))}
      </dl>
      <h3 className="subtitle">{t("nft.attributes")}</h3>
      <dl className="facts">
        {nft.metadata.attributes.map((attribute) => (
          <div key={attribute.trait_type}>
            <dt lang="pt-BR">{attribute.trait_type}</dt>
            <dd>{attribute.value}</dd>
          </div>
        ))}
      </dl>
      {purchase && (
        <>
          <h3 className="subtitle">{t("timeline.title")}</h3>
          <Timeline purchase={purchase} />
        </>
      )}
      {nft.txHash && (
        <p className="mt-4">
          <ExplorerLink hash={nft.txHash}>
            {t("nft.explorer")} <Icon name="external" size={16} />
          </ExplorerLink>
        </p>
      )}
    </Dialog>
  );
}

/** A purchase that the server has stored, and no NFT shows yet. */
export function RecordTicket({ purchase }: { purchase: PurchaseRecord }) {
  const t = useText();
  const { brl, percent, chz, date } = useFormat();
  const status = purchase.status ?? readStatus(purchase.stored_status ?? "");
  const isConfirmed = status === "confirmed";
  const kind = isConfirmed ? "confirmed" : status === "cancelled" ? "cancelled" : "pending";
  const total = Number(purchase.cashback_percent ?? 0) + Number(purchase.bonus_percent ?? 0);
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
                <span>{percent(total)}</span> <small>{chz(purchase.cashback_amount ?? purchase.cashback)}</small>
              </>
            ),
          },
          { label: t("ticket.value"), value: brl(purchase.amount) },
          { label: t("ticket.date"), value: date(purchase.date) },
          { label: t("ticket.wallet"), value: shortenAddress((purchase.destination ?? "").toLowerCase()) },
        ]}
        stamp={<Stamp kind={kind}>{t(`stored.${kind}`)}</Stamp>}
        stub={<span className="stub-text">{purchase.tokenType}</span>}
      />
    </article>
  );
}
