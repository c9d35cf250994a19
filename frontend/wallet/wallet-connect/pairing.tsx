import { useEffect, useRef, useState } from "react";
import { encode } from "uqr";
import { useText } from "../../i18n/language.tsx";
import { Icon } from "../../ui/icon.tsx";
import { useCopy } from "../../ui/use-copy.ts";
import { abandonPairing, walletConnect } from "../config.ts";
import { AbandonedError } from "../errors.ts";
import { useConnectWallet } from "../use-connect-wallet.ts";

const RELAY_TIMEOUT_MS = 10_000;

/** A QR code for the phone's wallet, or a link that opens it on the phone. */
export default function Pairing({ onEnd }: { onEnd: () => void }) {
  const t = useText();
  const { connectWith } = useConnectWallet();
  const [uri, setUri] = useState("");
  const start = useRef({ connectWith, onEnd, away: t("wallet.walletConnect.away") });
  start.current = { connectWith, onEnd, away: t("wallet.walletConnect.away") };

  useEffect(() => {
    const connector = walletConnect();
    const giveUp = () => abandonPairing(new AbandonedError(start.current.away));
    const timer = setTimeout(giveUp, navigator.onLine ? RELAY_TIMEOUT_MS : 0);
    const show = ({ type, data }: { type: string; data?: unknown }) => {
      if (type !== "display_uri" || typeof data !== "string") return;
      clearTimeout(timer);
      setUri(data);
    };
    connector.emitter.on("message", show);
    start.current.connectWith(connector).finally(() => start.current.onEnd());
    return () => {
      clearTimeout(timer);
      connector.emitter.off("message", show);
      abandonPairing(new AbandonedError());
    };
  }, []);

  const copy = useCopy("wallet.walletConnect.copied", "wallet.walletConnect.notCopied");
  if (!uri) {
    return (
      <p className="busy" role="status">
        <span className="spinner" aria-hidden="true" />
        {t("wallet.walletConnect.waiting")}
      </p>
    );
  }
  return (
    <div className="pairing">
      <p>{t("wallet.walletConnect.scan")}</p>
      <QrCode text={uri} label={t("wallet.walletConnect.code")} />
      <div className="flex flex-wrap justify-center gap-3">
        <a className="button" href={uri}>
          {t("wallet.none.mobile")} <Icon name="external" size={16} />
        </a>
        <button type="button" className="button button-quiet" onClick={() => copy(uri)}>
          {t("wallet.walletConnect.copy")}
        </button>
      </div>
    </div>
  );
}

/** Dark on light in every theme, because many phones cannot read an inverted code. */
function QrCode({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { border: 3 });
  const squares = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ""))).join("");
  return (
    <svg className="qr-code" role="img" aria-label={label} viewBox={`0 0 ${size} ${size}`} shapeRendering="crispEdges">
      <path fill="#fff" d={`M0 0h${size}v${size}H0z`} />
      <path fill="#000" d={squares} />
    </svg>
  );
}
