import { useQuery } from "@tanstack/react-query";
import { configQuery } from "../api/queries.ts";
import { useText } from "../i18n/language.tsx";
import { Icon } from "../ui/icon.tsx";
import { useCopy } from "../ui/use-copy.ts";

/** Copies a wallet's address, and opens it in the chain's explorer if there is one. */
export function AddressTools({ address }: { address: string }) {
  const t = useText();
  const { explorer_url } = useQuery(configQuery).data;
  const copy = useCopy("wallet.address.copied", "wallet.address.notCopied");
  return (
    <span className="address-tools">
      <button
        type="button"
        className="icon-button"
        aria-label={t("wallet.address.copy")}
        title={t("wallet.address.copy")}
        onClick={() => copy(address)}
      >
        <Icon name="copy" size={18} />
      </button>
      {explorer_url && (
        <a
          className="icon-button"
          href={`${explorer_url}/address/${address}`}
          target="_blank"
          rel="noopener noreferrer"
          aria-label={`${t("nft.explorer")} ${t("common.newTab")}`}
          title={t("nft.explorer")}
        >
          <Icon name="external" size={18} />
        </a>
      )}
    </span>
  );
}
