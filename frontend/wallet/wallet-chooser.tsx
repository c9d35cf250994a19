import { lazy, Suspense, useState } from "react";
import { FormattedMessage } from "react-intl";
import type { Connector } from "wagmi";
import { keysOf } from "../../core/rules/records.ts";
import { useText } from "../i18n/language.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Icon } from "../ui/icon.tsx";
import { useCopy } from "../ui/use-copy.ts";
import { useIsPhone } from "../ui/use-is-phone.ts";
import { Declined } from "./declined.tsx";
import { isReadersOwn, localWallets, PASSKEY_WALLET } from "./local-wallets.ts";
import { PasskeyOptions, usePasskeySupport } from "./passkey/passkey-options.tsx";
import { useConnectWallet } from "./use-connect-wallet.ts";
import { useWallet } from "./use-wallet.ts";

/** Loaded when it is chosen; not part of a build without a project id. */
const Pairing = import.meta.env.VITE_WALLETCONNECT_PROJECT_ID
  ? lazy(() => import("./wallet-connect/pairing.tsx"))
  : undefined;

/** Chooses among several wallets, with help if there is none. */
export default function WalletChooser({ onClose }: { onClose: () => void }) {
  const t = useText();
  const { isConnecting } = useWallet();
  const { connectors } = useConnectWallet();
  const [isPairing, setPairing] = useState(false);
  const hasOwn = connectors.some(isReadersOwn);
  const passkey = connectors.find(({ id }) => id === PASSKEY_WALLET);
  const samples = connectors.filter((one) => !isReadersOwn(one) && one !== passkey);
  if (Pairing && isPairing) {
    return (
      <Dialog title="WalletConnect" onClose={onClose}>
        <Suspense fallback={<p className="busy">{t("common.loading")}</p>}>
          <Pairing onEnd={() => setPairing(false)} />
        </Suspense>
      </Dialog>
    );
  }
  return (
    <Dialog title={t("wallet.choose")} onClose={onClose}>
      {hasOwn && <p className="muted mb-4">{t("auth.step1.text")}</p>}
      <ul className="space-y-2">
        {connectors.filter(isReadersOwn).map((connector) => (
          <WalletOption key={connector.uid} connector={connector} />
        ))}
        {passkey && <PasskeyOptions connector={passkey} />}
        {Pairing && <WalletConnectOption onClick={() => setPairing(true)} />}
      </ul>
      {samples.length > 0 && <p className="small-title mt-4">{t("wallet.try")}</p>}
      <ul className="space-y-2">
        {samples.map((connector) => (
          <WalletOption key={connector.uid} connector={connector} />
        ))}
      </ul>
      <div role="status">{isConnecting && <p className="declined">{t("auth.connecting.text")}</p>}</div>
      <Declined className="declined" />
      {!hasOwn && <NoWallet hasPasskeys={passkey !== undefined} />}
    </Dialog>
  );
}

/** How to get a wallet, for a user who has none in this browser. */
function NoWallet({ hasPasskeys }: { hasPasskeys: boolean }) {
  const t = useText();
  const isPhone = useIsPhone();
  const canMake = usePasskeySupport()?.create;
  return (
    <div className="wallet-none">
      <p className="wallet-none-title">
        <Icon name="wallet" />
        {t(canMake ? "passkey.orInstall" : "wallet.notFound")}
      </p>
      {!canMake && <p>{t("wallet.none.help")}</p>}
      {!hasPasskeys && <p>{t("passkey.notHere")}</p>}
      <p className="buttons">
        <a
          className="button button-small"
          href="https://metamask.io/download"
          target="_blank"
          rel="noopener noreferrer"
        >
          {t("wallet.none.install")}
        </a>
      </p>
      {isPhone && <WalletApps />}
    </div>
  );
}

/** Where each app opens a page in its own browser, by its maker's documents; Socios documents no such link. */
const APPS = {
  MetaMask: ({ host, pathname, search }: Location) => `https://metamask.app.link/dapp/${host}${pathname}${search}`,
  "Trust Wallet": ({ href }: Location) =>
    `https://link.trustwallet.com/open_url?coin_id=60&url=${encodeURIComponent(href)}`,
};

/** This page in the browser of a wallet's app. */
function WalletApps() {
  const copy = useCopy("wallet.none.copied", "wallet.none.notCopied");
  return (
    <>
      <p>
        <FormattedMessage id="wallet.none.apps" />
      </p>
      <p className="buttons">
        {keysOf(APPS).map((app) => (
          <a
            key={app}
            className="button button-small button-quiet"
            href={APPS[app](location)}
            rel="noopener noreferrer"
          >
            {app}
          </a>
        ))}
        <button type="button" className="button button-small button-quiet" onClick={() => copy(location.href)}>
          <FormattedMessage id="wallet.none.copy" />
        </button>
      </p>
    </>
  );
}

function WalletConnectOption({ onClick }: { onClick: () => void }) {
  return (
    <li>
      <button type="button" className="option" onClick={onClick}>
        <span aria-hidden="true" className="option-initial">
          W
        </span>
        <span>
          <span className="block font-semibold">WalletConnect</span>
          <span className="block text-sm muted">
            <FormattedMessage id="wallet.walletConnect.detail" />
          </span>
        </span>
      </button>
    </li>
  );
}

function WalletOption({ connector }: { connector: Connector }) {
  const t = useText();
  const { connectWith } = useConnectWallet();
  const local = localWallets.get(connector.id);
  return (
    <li>
      <button type="button" className="option" onClick={() => connectWith(connector)}>
        {connector.icon ? (
          <img src={connector.icon.trim()} alt="" width={32} height={32} />
        ) : (
          <span aria-hidden="true" className="option-initial">
            {connector.name.slice(0, 1)}
          </span>
        )}
        <span>
          <span className="block font-semibold">{local ? t(local.name) : connector.name}</span>
          {local && <span className="block text-sm muted">{t(local.detail)}</span>}
        </span>
      </button>
    </li>
  );
}
