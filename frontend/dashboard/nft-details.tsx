import type { PurchaseNft } from "../../core/rules/api/people.ts";
import { percentText, readPercentText, readReaisText, reaisText } from "../../core/rules/money.ts";
import { readStatus } from "../api/nft-facts.ts";
import type { PurchaseRecord } from "../api/shapes.ts";
import { useText } from "../i18n/language.tsx";
import { useFormat } from "../i18n/use-format.ts";
import { Dialog } from "../ui/dialog.tsx";
import { ExplorerLink } from "../ui/explorer-link.tsx";
import { NoDrawing } from "../ui/no-drawing.tsx";
import { Picture } from "../ui/picture.tsx";
import style from "./nft-details.module.css";
import { Timeline } from "./timeline.tsx";

type NftDetailsProps = { nft: PurchaseNft; purchase: PurchaseRecord | undefined; onClose: () => void };

/** As on the card: the chain mixes "5.75%" and "R$ 1.234,50", and has its own words for a status. */
function asReadersWrite(
  { trait_type, value }: { trait_type: string; value: string },
  { brl, percent }: ReturnType<typeof useFormat>,
  t: ReturnType<typeof useText>,
): string {
  switch (trait_type) {
    case "Valor da Compra": {
      const cents = readReaisText(value);
      return cents === undefined ? value : brl(reaisText(cents));
    }
    case "Cashback":
    case "Bônus": {
      // Of 1.1.0 on, the bonus says that the total contains it.
      const [part = "", isIncluded] = value.split(" (incluído)");
      const bps = readPercentText(part);
      if (bps === undefined) return value;
      const said = percent(percentText(bps));
      return isIncluded === undefined ? said : t("nft.included", { percent: said });
    }
    case "Status":
      return t(`status.${readStatus(value)}`);
    default:
      return value;
  }
}

/** All data of a ticket, and its place on the chain. */
export default function NftDetails({ nft, purchase, onClose }: NftDetailsProps) {
  const t = useText();
  const format = useFormat();
  const facts: [string, string][] = [
    [t("nft.name"), nft.metadata.name || nft.name],
    [t("nft.description"), nft.metadata.description],
    [t("nft.collection"), nft.name],
    [t("nft.symbol"), nft.symbol],
    [t("nft.tokenId"), nft.tokenId],
    [t("nft.contract"), nft.contract],
  ];
  return (
    <Dialog title={t("nft.details.title")} onClose={onClose} look="wide">
      <div className={style.art}>
        <Picture
          src={nft.metadata.image}
          alt=""
          fallback={<NoDrawing club={nft.club_slug}>{t("nft.placeholder")}</NoDrawing>}
        />
      </div>
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
            <dd>{asReadersWrite(attribute, format, t)}</dd>
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
          <ExplorerLink hash={nft.txHash}>{t("nft.explorer")}</ExplorerLink>
        </p>
      )}
    </Dialog>
  );
}
