import { type Ref, Suspense, useCallback, useEffect, useState } from "react";
import { FormattedMessage } from "react-intl";
import { useNavigate, useSearchParams } from "react-router";
import { REGISTRATION_REDIRECT_MS } from "../../core/rules/product.ts";
import { shortenAddress } from "../../core/rules/wallet-address.ts";
import { fetched } from "../app/fetched.tsx";
import { PageHeading } from "../app/page.tsx";
import { safeNext } from "../app/paths.ts";
import { useText } from "../i18n/language.tsx";
import { useSession } from "../session/session.tsx";
import { Icon } from "../ui/icon.tsx";
import { SampleTickets } from "../ui/sample-tickets.tsx";
import { Skeletons } from "../ui/skeleton.tsx";
import { toast } from "../ui/toast.ts";
import { offerPasskeys } from "../wallet/offer-passkeys.ts";
import { useConnectWallet } from "../wallet/use-connect-wallet.ts";
import { useWallet } from "../wallet/use-wallet.ts";
import style from "./auth-page.module.css";
import { useSignIn } from "./use-sign-in.ts";

/** Only new wallets need it. */
const registrationForm = fetched(() => import("./registration-form.tsx"), "default");

export default function Auth() {
  const t = useText();
  const session = useSession();
  const wallet = useWallet();
  const isLoading = session.status === "restoring" || wallet.isRestoring;
  return (
    <section className={`page ${style.page}`}>
      <Intro />
      <div className={style.steps}>
        <div className="card">
          <div role="tablist" aria-label={t("auth.title")} className="tabs">
            <button
              type="button"
              role="tab"
              id="wallet-tab"
              aria-selected="true"
              aria-controls="wallet-panel"
              className="tab"
            >
              <Icon name="wallet" />
              {t("auth.walletTab")}
            </button>
          </div>
          <div role="tabpanel" id="wallet-panel" aria-labelledby="wallet-tab" className="card-body">
            {isLoading ? (
              <div className="grid gap-3">
                <Skeletons count={1} className="h-6 w-2/3" />
                <div aria-hidden="true" className="skeleton h-12" />
                <div aria-hidden="true" className="skeleton h-12" />
              </div>
            ) : session.profile ? (
              <AlreadyIn />
            ) : (
              <WalletSteps />
            )}
          </div>
        </div>
        <EmailLink />
      </div>
      {!session.profile && <SampleTickets />}
    </section>
  );
}

/** The benefits of an account, next to the card. */
const POINTS = ["ticket", "cashback", "bonus"] as const;

/** What the build paints of the page (`prerender.tsx`). */
export function AuthOnTheWay() {
  return (
    <section className={`page ${style.page}`}>
      <Intro />
      <div aria-hidden="true" className="skeleton h-64" />
    </section>
  );
}

function Intro() {
  const t = useText();
  return (
    <div className={style.intro}>
      <PageHeading>{t("auth.title")}</PageHeading>
      <p className="lead">{t("auth.description")}</p>
      <ul className={style.points}>
        {POINTS.map((point) => (
          <li key={point}>
            <Icon name="check" />
            {t(`auth.point.${point}`)}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Signing in by e-mail is not offered: says that a wallet is needed. */
function EmailLink() {
  const t = useText();
  return (
    <p className="mt-4 text-center">
      <button
        type="button"
        className="link"
        onClick={() =>
          toast(t("auth.walletRequired"), { id: "wallet-required", description: t("auth.walletRequired.detail") })
        }
      >
        {t("auth.email")}
      </button>
    </p>
  );
}

/** With a profile: a success message and a link to the dashboard. docs/product.md#auth. */
function AlreadyIn() {
  const navigate = useNavigate();
  const [parameters] = useSearchParams();
  const next = safeNext(parameters.get("next"));
  useEffect(() => {
    const timer = setTimeout(() => navigate(next, { replace: true }), REGISTRATION_REDIRECT_MS);
    return () => clearTimeout(timer);
  }, [navigate, next]);
  return (
    <div role="status" className="success">
      <Icon name="check" size={28} />
      <p className="font-semibold">
        <FormattedMessage id="auth.already" />
      </p>
    </div>
  );
}

function WalletSteps() {
  const wallet = useWallet();
  const signIn = useSignIn();
  const { step } = signIn;
  const [cameWithout] = useState(!wallet.address);
  // The button that connected is gone, and the focus with it.
  const wayOn = useCallback(
    (button: HTMLButtonElement | null) => {
      if (cameWithout && document.activeElement === document.body) button?.focus();
    },
    [cameWithout],
  );
  useEffect(() => {
    // A failure occurs again, and is shown, when the form is rendered.
    if (step === "unregistered") registrationForm.fetchNow().catch(() => {});
  }, [step]);
  return (
    <div className="grid gap-5">
      <ConnectStep />
      {wallet.address && <SignIn signIn={signIn} wayOn={wayOn} />}
      {step === "registering" && (
        <Suspense fallback={<Skeletons count={3} className="h-12" />}>
          <registrationForm.Screen />
        </Suspense>
      )}
    </div>
  );
}

function ConnectStep() {
  const t = useText();
  const wallet = useWallet();
  const { connect, choose } = useConnectWallet();
  // Whoever has one wallet is offered those of the page, too.
  useEffect(() => void offerPasskeys(), []);
  return (
    <div>
      <h2 className={style.stepTitle}>{t("auth.step1")}</h2>
      {wallet.address ? (
        <p className={style.connected}>
          <Icon name="check" />
          {t("auth.connectedAs", { address: shortenAddress(wallet.address) })}
        </p>
      ) : (
        <>
          <p className="muted mb-3">{t("auth.step1.text")}</p>
          {/* Never disabled: a wallet whose window was closed may never answer. */}
          <button type="button" className="button w-full" aria-busy={wallet.isConnecting} onClick={connect}>
            <Icon name="wallet" />
            {t(wallet.isConnecting ? "auth.connecting" : "wallet.connect")}
          </button>
          <div role="status">{wallet.isConnecting && <p className="muted mt-3">{t("auth.connecting.text")}</p>}</div>
          {choose && (
            <p className="mt-3 text-center">
              <button type="button" className="link" onClick={choose}>
                {t("wallet.another")}
              </button>
            </p>
          )}
        </>
      )}
    </div>
  );
}

type SignInProps = { signIn: ReturnType<typeof useSignIn>; wayOn: Ref<HTMLButtonElement> };

function SignIn({ signIn, wayOn }: SignInProps) {
  const { step } = signIn;
  return (
    <div aria-live="polite" className="grid gap-3">
      {step === "checking" && (
        <p className="busy">
          <FormattedMessage id="auth.checking" />
        </p>
      )}
      {step === "signing" && (
        <>
          <p className="busy">
            <FormattedMessage id="auth.signing" />
          </p>
          <button type="button" className="button button-quiet" onClick={signIn.start}>
            <FormattedMessage id="auth.askAgain" />
          </button>
        </>
      )}
      {step === "failed" && (
        <div role="alert" className="problem">
          <p>{signIn.problem}</p>
          <button type="button" className="button" ref={wayOn} onClick={signIn.start}>
            <FormattedMessage id="common.retry" />
          </button>
        </div>
      )}
      {step === "waiting" && (
        <button type="button" className="button" onClick={signIn.start}>
          <FormattedMessage id="auth.signIn" />
        </button>
      )}
      {step === "unregistered" && (
        <>
          <p>
            <FormattedMessage id="auth.notRegistered" />
          </p>
          <button type="button" className="button" ref={wayOn} onClick={signIn.continueToRegistration}>
            <FormattedMessage id="auth.continue" />
          </button>
        </>
      )}
    </div>
  );
}
