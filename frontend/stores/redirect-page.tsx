import { useMutation, useQuery } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";
import { FormattedMessage } from "react-intl";
import { Navigate, useLocation, useNavigate, useParams } from "react-router";
import { SAMPLE_STORES } from "../../core/rules/catalogue-samples.ts";
import { reaisText } from "../../core/rules/money.ts";
import { PRODUCT_NAME, REDIRECT_COUNTDOWN_SECONDS, SIMULATED_PURCHASE_CENTS } from "../../core/rules/product.ts";
import { withdrawPurchase } from "../api/calls.ts";
import { ApiError } from "../api/http.ts";
import { configQuery, storeQuery } from "../api/queries.ts";
import { reasonOf } from "../api/reason-of.ts";
import type { Store } from "../api/shapes.ts";
import { PageHeading } from "../app/page.tsx";
import { paths } from "../app/paths.ts";
import { useText } from "../i18n/language.tsx";
import { useFormat } from "../i18n/use-format.ts";
import { useSession } from "../session/session.tsx";
import { Initial } from "../ui/initial.tsx";
import { LinkButton } from "../ui/link-button.tsx";
import { Skeletons } from "../ui/skeleton.tsx";
import { RetryPanel } from "../ui/state-panel.tsx";
import { StoreMark } from "../ui/store-mark.tsx";
import { toast } from "../ui/toast.ts";
import { type Departure, departureOf, recentDeparture, useDeparture } from "./departure.ts";
import style from "./redirect-page.module.css";
import { useEarnings, useTokenChoice } from "./token-choice.ts";

const TICK_MS = 100;

type Countdown = { secondsLeft: number; isPaused: boolean; pause: () => void; resume: () => void };

type Destination = { name: string; link: string };

/** Looks in the samples first, then in the catalogue; an unknown store redirects to the stores. docs/product.md#redirect. */
export default function Redirect() {
  const t = useText();
  const { storeId = "" } = useParams();
  const sample = SAMPLE_STORES.find((store) => store.id === storeId);
  const store = useQuery({ ...storeQuery(storeId), enabled: !sample });
  if (sample) return <Countdown destination={{ name: sample.name, link: sample.affiliateLink }} />;
  if (store.data) return <WayOut store={store.data} />;
  if (store.isError && store.error instanceof ApiError && store.error.status < 500)
    return <Navigate to={paths.stores} replace />;
  if (store.isError) {
    return (
      <div className="page">
        <RetryPanel title={t("redirect.unavailable")} query={store} />
      </div>
    );
  }
  return <Waiting />;
}

function Waiting() {
  return (
    <div className="page">
      <Skeletons count={1} className="h-64" />
    </div>
  );
}

/** With the visit that was just registered; a user who opens the page directly registers one first. */
function WayOut({ store }: { store: Store }) {
  const { profile, status } = useSession();
  const departure = departureOf(useLocation().state);
  const known = departure ?? (profile && recentDeparture(profile.wallet, store.id));
  const link = known?.affiliateUrl || withoutVisit(store.affiliateLink) || store.storeUrl;
  const destination = { name: store.name, link };
  if (known) return <Countdown destination={destination} departure={known} />;
  if (status === "restoring") return <Waiting />;
  if (!profile) return <Countdown destination={destination} storeId={store.id} />;
  return <DirectDeparture store={store} wallet={profile.wallet} destination={destination} />;
}

type DirectProps = { store: Store; wallet: string; destination: Destination };

/** A visit is registered by the opening, a simulated purchase only by its button. */
function DirectDeparture({ store, wallet, destination }: DirectProps) {
  const t = useText();
  const navigate = useNavigate();
  const isSimulated = useQuery(configQuery).data.simulated;
  const { tokens, token } = useTokenChoice(store);
  const earnedWith = useEarnings(store);
  const depart = useDeparture(store);
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => depart(wallet, token),
    onSuccess: (departure) => navigate(paths.redirect(store.id), { replace: true, state: departure }),
  });
  const isChoosing = tokens.isPending;
  const begun = useRef(false);
  useEffect(() => {
    if (isSimulated || isChoosing || begun.current) return;
    begun.current = true;
    mutate();
  }, [isSimulated, isChoosing, mutate]);
  const [isWithout, setWithout] = useState(false);
  if (isWithout) return <Countdown destination={destination} />;
  if (isChoosing || (!isSimulated && !error)) return <Waiting />;
  return (
    <section className={`page ${style.page}`}>
      <Leaving to={store.name} />
      {error ? (
        <p role="alert" className="problem">
          {t("redirect.notCounted")} {reasonOf(error, t)}
        </p>
      ) : (
        <>
          <Promised promise={{ ...earnedWith(token), token: token?.slug }} />
          <p className="hint">{t("redirect.direct")}</p>
        </>
      )}
      <div className={`${style.actions} flex flex-wrap justify-center gap-3`}>
        <button type="button" className="button button-quiet" onClick={() => setWithout(true)}>
          {t("redirect.without")}
        </button>
        <button type="button" className="button" disabled={isPending} onClick={() => mutate()}>
          {t(isPending ? "buy.recording" : error ? "common.retry" : "redirect.record")}
        </button>
      </div>
    </section>
  );
}

/** Without a known visit, the link carries no click. */
function withoutVisit(link: string): string {
  return link.replaceAll("{click}", "").replaceAll("{url}", "");
}

/** Only https links may be opened; on the local machine also pages on it. */
function isSafe(link: string): boolean {
  if (!URL.canParse(link)) return false;
  const { protocol, hostname } = new URL(link);
  const isHere = LOOPBACK.has(hostname) && LOOPBACK.has(location.hostname);
  return protocol === "https:" || (protocol === "http:" && isHere);
}

const LOOPBACK = new Set(["localhost", "127.0.0.1"]);

type CountdownProps = {
  destination: Destination;
  departure?: Departure;
  /** Of the catalogue: who logs in can earn there. */
  storeId?: string;
};

function Countdown({ destination, departure, storeId }: CountdownProps) {
  const t = useText();
  const cancel = useCancel(departure);
  const canLeave = isSafe(destination.link);
  const countdown = useCountdown(REDIRECT_COUNTDOWN_SECONDS, canLeave, leave);
  const { secondsLeft, isPaused } = countdown;

  function leave() {
    // Replaces the history entry, so that Back leads to the stores and not to a new countdown.
    if (canLeave) location.replace(destination.link);
  }
  return (
    <section className={`page ${style.page}`}>
      <Leaving to={destination.name} />
      {canLeave ? (
        <>
          {departure ? <Promised promise={departure} /> : <NotCounted storeId={storeId} />}
          <p className="muted">
            {t("redirect.warning")} {departure && t("redirect.warning.counted")}
          </p>
          <Clock secondsLeft={secondsLeft} isPaused={isPaused} />
        </>
      ) : (
        <p className="problem">{t("redirect.noLink")}</p>
      )}
      <div className={`${style.actions} flex flex-wrap justify-center gap-3`}>
        <button type="button" className={canLeave ? "button button-quiet" : "button"} onClick={cancel}>
          {t(canLeave ? "common.cancel" : "home.featured.all")}
        </button>
        {canLeave && (
          <>
            <button
              type="button"
              className="button button-quiet"
              onClick={isPaused ? countdown.resume : countdown.pause}
            >
              {t(isPaused ? "redirect.resume" : "redirect.pause")}
            </button>
            <button type="button" className={storeId ? "button button-quiet" : "button"} onClick={leave}>
              {t(departure ? "store.buy" : "redirect.buyWithout")}
            </button>
          </>
        )}
      </div>
    </section>
  );
}

function Leaving({ to }: { to: string }) {
  return (
    <>
      <div className={style.way} aria-hidden="true">
        <Initial name={PRODUCT_NAME} />
        <span />
        <StoreMark store={{ id: "", name: to, logo: "" }} size={44} />
      </div>
      <PageHeading>
        <FormattedMessage id="redirect.title" />
      </PageHeading>
      <p className={style.store}>{to}</p>
    </>
  );
}

/** What the buyer is promised. */
function Promised({ promise }: { promise: Pick<Departure, "percent" | "reais" | "isSure" | "token"> }) {
  const t = useText();
  const { brl, percent } = useFormat();
  const { token } = promise;
  return (
    <p className={style.promise}>
      {t(promise.isSure ? "redirect.promise" : "redirect.promise.upTo", {
        percent: percent(promise.percent),
        reais: brl(promise.reais),
        amount: brl(reaisText(SIMULATED_PURCHASE_CENTS)),
      })}
      {token && `\u00a0· ${t("redirect.promise.token", { token: token.toUpperCase() })}`}
    </p>
  );
}

/** Nothing stands for this way out; a visitor of a store in the catalogue can still log in. */
function NotCounted({ storeId }: { storeId: string | undefined }) {
  if (!storeId)
    return (
      <p className="hint">
        <FormattedMessage id="redirect.notCounted" />
      </p>
    );
  return (
    <div className="hint grid gap-3">
      <p>
        <FormattedMessage id="buy.noLogin" />
      </p>
      <LinkButton to={paths.auth(paths.redirect(storeId))}>
        <FormattedMessage id="buy.login" />
      </LinkButton>
    </div>
  );
}

/** Returns to the stores; the simulated purchase is withdrawn if its ticket was not sent yet. */
function useCancel(departure: Departure | undefined): () => void {
  const t = useText();
  const navigate = useNavigate();
  const { refresh } = useSession();
  return () => {
    navigate(paths.stores, { replace: true });
    if (departure?.purchaseId === undefined) return;
    withdrawPurchase(departure.purchaseId)
      .then(() => toast.success(t("redirect.withdrawn"), { id: "withdraw" }))
      .then(refresh)
      .catch((error: unknown) => toast.error(t("redirect.stays"), { id: "withdraw", description: reasonOf(error, t) }));
  };
}

function Clock({ secondsLeft, isPaused }: { secondsLeft: number; isPaused: boolean }) {
  const t = useText();
  const [spoken, setSpoken] = useState("");
  const words = t("redirect.countdown", { seconds: secondsLeft });

  // A screen reader announces only the first, the middle and the last second: ten announcements would be too many.
  const isSpoken = secondsLeft === REDIRECT_COUNTDOWN_SECONDS || secondsLeft === 5 || secondsLeft === 1;
  useEffect(() => {
    if (isSpoken) setSpoken(words);
  }, [isSpoken, words]);

  return (
    <>
      <p className={style.scoreboard} aria-hidden="true">
        {secondsLeft}
      </p>
      <div
        className={style.progress}
        role="progressbar"
        aria-label={t("redirect.progress")}
        aria-valuemin={0}
        aria-valuemax={REDIRECT_COUNTDOWN_SECONDS}
        aria-valuenow={REDIRECT_COUNTDOWN_SECONDS - secondsLeft}
      >
        <div
          style={{
            transform: `scaleX(${(REDIRECT_COUNTDOWN_SECONDS - secondsLeft) / REDIRECT_COUNTDOWN_SECONDS})`,
          }}
        />
      </div>
      <p className="figures">{words}</p>
      <span className="sr-only" role="status">
        {isPaused ? t("redirect.paused") : spoken}
      </span>
    </>
  );
}

/** Counts down to a deadline, because timers are throttled in hidden tabs; then calls `onEnd` once. */
function useCountdown(seconds: number, isRunning: boolean, onEnd: () => void): Countdown {
  const [leftMs, setLeftMs] = useState(seconds * 1_000);
  const [isPaused, setPaused] = useState(false);
  const left = useRef(leftMs);
  const end = useRef(onEnd);
  end.current = onEnd;

  useEffect(() => {
    if (!isRunning || isPaused) return;
    const deadline = Date.now() + left.current;
    const timer = setInterval(() => {
      left.current = Math.max(0, deadline - Date.now());
      setLeftMs(left.current);
      if (left.current > 0) return;
      clearInterval(timer);
      end.current();
    }, TICK_MS);
    return () => clearInterval(timer);
  }, [isRunning, isPaused]);

  // Restored from the back-forward cache: wait for the user instead of counting down.
  useEffect(() => {
    const stop = (event: PageTransitionEvent) => {
      if (!event.persisted) return;
      left.current = seconds * 1_000;
      setLeftMs(left.current);
      setPaused(true);
    };
    addEventListener("pageshow", stop);
    return () => removeEventListener("pageshow", stop);
  }, [seconds]);

  const pause = useCallback(() => setPaused(true), []);
  const resume = useCallback(() => setPaused(false), []);
  return { secondsLeft: Math.ceil(leftMs / 1_000), isPaused, pause, resume };
}
