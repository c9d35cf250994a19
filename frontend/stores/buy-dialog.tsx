import { useMutation, useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useId, useState } from "react";
import { FormattedMessage } from "react-intl";
import { useNavigate } from "react-router";
import { formatDecimal, percentText, reaisText } from "../../core/rules/money.ts";
import { REDIRECT_COUNTDOWN_SECONDS, SIMULATED_PURCHASE_CENTS } from "../../core/rules/product.ts";
import { configQuery } from "../api/queries.ts";
import { reasonOf } from "../api/reason-of.ts";
import type { FanToken, Store } from "../api/shapes.ts";
import { deployment } from "../app/deployment.ts";
import { paths } from "../app/paths.ts";
import { useText, withLaterTexts } from "../i18n/language.tsx";
import { useFormat } from "../i18n/use-format.ts";
import { useSession } from "../session/session.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Icon } from "../ui/icon.tsx";
import { Initial } from "../ui/initial.tsx";
import { LinkButton } from "../ui/link-button.tsx";
import { Picture } from "../ui/picture.tsx";
import promiseStyle from "../ui/promise.module.css";
import { SelectField } from "../ui/select-field.tsx";
import { Tooltip } from "../ui/tooltip.tsx";
import { useIsShown } from "../ui/use-is-shown.ts";
import { useOneAtATime } from "../ui/use-one-at-a-time.ts";
import { BoostBadge } from "./boost-badge.tsx";
import style from "./buy-dialog.module.css";
import { useDeparture } from "./departure.ts";
import { useStoreTexts } from "./store-texts.ts";
import { useBonusOf, useEarnings, useTokenChoice } from "./token-choice.ts";

const InviteNote = lazy(() => withLaterTexts(() => import("./invite-note.tsx")));

const CENTS = 100n;

type BuyDialogProps = {
  store: Store;
  /** The page of the shop to go to; without it, its first page. */
  link?: string;
  onClose: () => void;
};

/** Chooses the fan token, shows its bonus, records the purchase and opens the redirect page. docs/product.md#buy-dialog. */
export default function BuyDialog({ store, link, onClose }: BuyDialogProps) {
  const t = useText();
  const { tokens, list, token, choose } = useTokenChoice(store);
  const [category, setCategory] = useState("");
  const { proceed, isBusy, problem } = usePurchase(store, link, onClose);
  const { status, profile } = useSession();
  const isVisitor = status === "anonymous";
  const cancel = (
    <button type="button" className="button button-quiet" onClick={onClose}>
      {t("common.cancel")}
    </button>
  );
  const actions = isVisitor ? (
    <>
      <p className="dialog-note">{t("buy.noLogin")}</p>
      {cancel}
      {link ? (
        <a className="button button-quiet" href={link}>
          {t("buy.withoutCashback")}
        </a>
      ) : (
        <button type="button" className="button button-quiet" onClick={() => proceed(undefined)}>
          {t("buy.withoutCashback")}
        </button>
      )}
      <LinkButton to={paths.auth(link ? paths.go(link, store.id) : paths.buy(store.id))}>{t("buy.login")}</LinkButton>
    </>
  ) : (
    <>
      {cancel}
      {list.length === 0 && !tokens.isPending && (
        <button type="button" className="button button-quiet" disabled={isBusy} onClick={() => proceed(undefined)}>
          {t("buy.withoutBonus")}
        </button>
      )}
      <button type="button" className="button" disabled={!token || isBusy} onClick={() => proceed(token)}>
        {t(isBusy ? "buy.recording" : "buy.proceed")}
      </button>
    </>
  );
  return (
    <Dialog title={t("buy.title", { store: store.name })} onClose={onClose} actions={actions} look="wide">
      <BoostBadge store={store} />
      {deployment.invite_bonus_percent && profile && (
        <Suspense>
          <InviteNote wallet={profile.wallet} />
        </Suspense>
      )}
      <Receive store={store} token={token} category={category} onCategory={setCategory} />
      {tokens.isPending ? (
        <p className="busy" role="status">
          <span className="spinner" aria-hidden="true" />
          {t("buy.loading")}
        </p>
      ) : tokens.isError && list.length === 0 ? (
        <TokensAway isFetching={tokens.isFetching} retry={tokens.refetch} />
      ) : list.length === 0 ? (
        <p className="muted">{t("buy.none")}</p>
      ) : (
        <TokenTiles tokens={list} store={store} chosen={token} onChoose={choose} />
      )}
      {token && (
        <>
          <Summary store={store} token={token} />
          <Hints store={store} />
        </>
      )}
      {problem && (
        <div role="alert" className="problem">
          <p>
            {t("buy.failed")} {problem}
          </p>
        </div>
      )}
    </Dialog>
  );
}

/** Records the purchase of a user, and leads to the shop. */
function usePurchase(store: Store, link: string | undefined, onClose: () => void) {
  const t = useText();
  const navigate = useNavigate();
  const { profile } = useSession();
  const isShown = useIsShown();
  const depart = useDeparture(store, link);
  const { mutateAsync, isPending, error } = useMutation({
    mutationFn: async (chosen: FanToken | undefined) => profile && depart(profile.wallet, chosen),
    onSuccess: (departure) => {
      // Cancelled before the response arrived: stay on this page.
      if (!isShown()) return;
      onClose();
      navigate(paths.redirect(store.id), { state: departure });
    },
  });
  const proceed = useOneAtATime((chosen: FanToken | undefined) => mutateAsync(chosen).catch(() => undefined));
  return { proceed, isBusy: isPending, problem: error && reasonOf(error, t) };
}

function TokensAway({ isFetching, retry }: { isFetching: boolean; retry: () => unknown }) {
  return (
    <div className="problem" role="alert">
      <p>
        <FormattedMessage id="errorFetchingFanTokens" />
      </p>
      <button type="button" className="button button-small" disabled={isFetching} onClick={() => retry()}>
        <FormattedMessage id="common.retry" />
      </button>
    </div>
  );
}

type ReceiveProps = {
  store: Store;
  token: FanToken | undefined;
  category: string;
  onCategory: (category: string) => void;
};

/** What the buyer receives: percent, reais and CHZ, by the chosen token and category. */
function Receive({ store, token, category, onCategory }: ReceiveProps) {
  const t = useText();
  const { brl, chz, percent } = useFormat();
  const { nameOf } = useStoreTexts(store);
  const earned = useEarnings(store)(token, category);
  return (
    <div className={promiseStyle.receive} aria-live="polite">
      <span>
        {t(earned.isSure ? "receive.on" : "receive.upTo", { value: brl(reaisText(SIMULATED_PURCHASE_CENTS)) })}
      </span>
      <strong className="figures">{brl(earned.reais)}</strong>
      <span className="figures">{`${percent(earned.percent)}\u00a0· ${chz(earned.chz)}`}</span>
      {store.cashbacks.length > 1 && (
        <SelectField
          label={t("receive.category")}
          value={category}
          options={[
            ["", t("receive.category.best")],
            ...store.cashbacks.map((one) => [one.category, `${nameOf(one)} (${percent(one.percent)})`] as const),
          ]}
          choose={onCategory}
        />
      )}
    </div>
  );
}

type TilesProps = { tokens: FanToken[]; store: Store; chosen: FanToken | undefined; onChoose: (slug: string) => void };

function TokenTiles({ tokens, store, chosen, onChoose }: TilesProps) {
  const t = useText();
  const { percent } = useFormat();
  const bonusOf = useBonusOf(store);
  const name = useId();
  return (
    <div role="radiogroup" aria-labelledby={`${name}-label`}>
      <p id={`${name}-label`} className="small-title">
        {t("buy.choose")}
      </p>
      <div className={style.tokens}>
        {tokens.map((token) => {
          const { totalBps } = bonusOf(token);
          return (
            <label key={token.slug} className={style.token}>
              <input
                type="radio"
                name={name}
                value={token.slug}
                checked={token.slug === chosen?.slug}
                onChange={() => onChoose(token.slug)}
              />
              <Picture
                src={token.image}
                alt=""
                className="token-image"
                fallback={<Initial name={token.slug} letters={3} className="token-image" />}
              />
              <span className={style.slug}>{token.slug.toUpperCase()}</span>
              <span className={style.name}>{token.name}</span>
              <span className={totalBps > 0n ? "badge badge-bonus" : "badge"}>
                {totalBps > 0n ? `+${percent(percentText(totalBps))}` : t("buy.noBonus")}
              </span>
            </label>
          );
        })}
      </div>
    </div>
  );
}

function Summary({ store, token }: { store: Store; token: FanToken }) {
  const t = useText();
  const { percent, percentRange, decimal } = useFormat();
  const { profile } = useSession();
  const { storeBps, holdingBps, totalBps, held } = useBonusOf(store)(token);
  const points = (bps: bigint) => `+${percent(percentText(bps))}`;
  const balance = decimal(formatDecimal(held.units, held.decimals));
  return (
    <dl className={style.summary} aria-live="polite">
      <div>
        <dt>{t("buy.summary.token")}</dt>
        <dd>{`${token.slug.toUpperCase()}\u00a0· ${token.name}`}</dd>
      </div>
      <div>
        <dt>{t("buy.summary.base")}</dt>
        <dd className="figures">{percentRange(store.minCashback, store.maxCashback)}</dd>
      </div>
      <div>
        <dt>{t("buy.summary.store")}</dt>
        <dd className="figures">{points(storeBps)}</dd>
      </div>
      <div>
        <dt>
          {t("buy.summary.holding")}{" "}
          <Tooltip label={t("buy.summary.holding.help")}>
            {t("buy.summary.holding.tip", {
              amount: balance,
              symbol: token.slug.toUpperCase(),
              percent: points(holdingBps),
            })}
            {!profile && ` ${t("buy.summary.example")}`}
          </Tooltip>
        </dt>
        <dd className="figures">{points(holdingBps)}</dd>
      </div>
      <div className={style.total}>
        <dt>{t("buy.summary.total")}</dt>
        <dd className="figures">{points(totalBps)}</dd>
      </div>
    </dl>
  );
}

const TIPS = ["blocker", "coupons", "window"] as const;

/** What earns nothing, the rate, what happens next, and how not to lose it. */
function Hints({ store }: { store: Store }) {
  const t = useText();
  const { brl, chz } = useFormat();
  const config = useQuery(configQuery).data;
  const { terms } = useStoreTexts(store);
  return (
    <div className={style.hints}>
      {terms && (
        <p className="hint">
          <Icon name="info" />
          {terms}
        </p>
      )}
      <p className="hint">
        <Icon name="refresh" />
        {t(config.is_rate_known ? "buy.conversion" : "buy.conversion.estimate", {
          chz: chz(formatDecimal(BigInt(config.wei_per_cent) * CENTS, 18)),
          brl: brl(1),
        })}
      </p>
      <p className="hint">
        <Icon name="clock" />
        {t("buy.redirect", { store: store.name, seconds: REDIRECT_COUNTDOWN_SECONDS })}{" "}
        {config.simulated
          ? t("buy.redirect.simulated", { value: brl(reaisText(SIMULATED_PURCHASE_CENTS)) })
          : t("buy.redirect.live")}
      </p>
      <ul className={style.tips}>
        {TIPS.map((tip) => (
          <li key={tip}>{t(`buy.tip.${tip}`)}</li>
        ))}
      </ul>
    </div>
  );
}
