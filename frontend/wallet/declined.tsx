import { FormattedMessage } from "react-intl";
import { useWallet } from "./use-wallet.ts";

/** The user declined in the wallet, which is not an error: a sentence, until the next attempt. docs/product.md#wallet */
export function Declined({ className }: { className: string }) {
  const { isDeclined } = useWallet();
  return (
    <div role="status">
      {isDeclined && (
        <div className={className}>
          <p>
            <FormattedMessage id="wallet.declined" />
          </p>
        </div>
      )}
    </div>
  );
}
