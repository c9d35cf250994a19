import { useText } from "../i18n/language.tsx";
import { useWallet } from "./wallet.tsx";

/** The user declined in the wallet, which is not an error: a sentence, until the next attempt. docs/product.md#wallet */
export function Declined({ className }: { className: string }) {
  const t = useText();
  const { isDeclined } = useWallet();
  return (
    <div role="status">
      {isDeclined && (
        <div className={className}>
          <p>{t("wallet.declined")}</p>
        </div>
      )}
    </div>
  );
}
