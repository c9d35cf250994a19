import { useQuery } from "@tanstack/react-query";
import { startTransition, useState } from "react";
import { FormattedMessage } from "react-intl";
import { Link, useSearchParams } from "react-router";
import { linkIn } from "../../core/rules/product-link.ts";
import { ApiError } from "../api/http.ts";
import { storeQuery } from "../api/queries.ts";
import { PageHeading } from "../app/page.tsx";
import { paths } from "../app/paths.ts";
import { useText } from "../i18n/language.tsx";
import { fetchedDialog } from "../ui/fetched-dialog.tsx";
import { LinkButton } from "../ui/link-button.tsx";
import { PromisePercent, usePromise } from "../ui/promise.tsx";
import { Skeletons } from "../ui/skeleton.tsx";
import { EmptyPanel, RetryPanel } from "../ui/state-panel.tsx";
import { StoreMark } from "../ui/store-mark.tsx";
import style from "./go-page.module.css";
import { type LinkAnswer, linkQuery } from "./link-query.ts";
import { PasteLink } from "./paste-link.tsx";

const BuyDialog = fetchedDialog(() => import("./buy-dialog.tsx"));

/** A pasted or shared link to a product: its store, and the way there with cashback. docs/product.md#links */
export default function Go() {
  const [parameters] = useSearchParams();
  const shared = ["text", "title"].map((name) => linkIn(parameters.get(name) ?? "")).find(Boolean);
  const url = parameters.get("url") || shared || "";
  const storeId = parameters.get("store") ?? undefined;
  return (
    <section className="page grid gap-4">
      <PageHeading>
        <FormattedMessage id="go.title" />
      </PageHeading>
      <p className="lead">
        <FormattedMessage id="go.lead" />
      </p>
      <PasteLink url={url} />
      {url === "" ? <HowTo /> : <Found key={`${url} ${storeId}`} url={url} storeId={storeId} />}
    </section>
  );
}

function HowTo() {
  return (
    <ul className="plain-list">
      <li>
        <FormattedMessage id="goPage.how.copy" />
      </li>
      <li>
        <FormattedMessage id="goPage.how.share" />
      </li>
      <li>
        <FormattedMessage id="goPage.how.ios" />
      </li>
    </ul>
  );
}

function Found({ url, storeId }: { url: string; storeId: string | undefined }) {
  const t = useText();
  const found = useQuery(linkQuery(url, storeId));
  if (found.data) return <Store link={found.data} />;
  if (!found.isError) {
    return (
      <div aria-busy="true">
        <p className="sr-only" role="status">
          {t("goPage.looking")}
        </p>
        <Skeletons count={1} className="h-32" />
      </div>
    );
  }
  const { code, stores = [] } = found.error instanceof ApiError ? found.error : {};
  if (code === "LINK_AMBIGUOUS") {
    return (
      <Choice title={t("goPage.which")}>
        {stores.map(({ id, name }) => (
          <LinkButton key={id} className="button button-quiet" to={paths.go(url, id)}>
            {name}
          </LinkButton>
        ))}
      </Choice>
    );
  }
  if (code === "LINK_UNKNOWN") {
    return (
      <EmptyPanel
        title={t("goPage.unknown")}
        hint={t(stores.length > 0 ? "goPage.unknown.like" : "goPage.unknown.hint")}
      >
        {stores.map(({ id, name }) => (
          <LinkButton key={id} className="button button-quiet" to={paths.store(id)}>
            {name}
          </LinkButton>
        ))}
        <LinkButton to={paths.stores}>{t("home.featured.all")}</LinkButton>
      </EmptyPanel>
    );
  }
  if (code === "LINK_INVALID" || code === "INVALID_REQUEST")
    return <EmptyPanel title={t("goPage.invalid")} hint={t("goPage.invalid.hint")} />;
  return <RetryPanel title={t("goPage.failed")} query={found} />;
}

function Choice({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    <div className="state-panel">
      <p className="state-title">{title}</p>
      <div className="flex flex-wrap justify-center gap-3">{children}</div>
    </div>
  );
}

/** The store, with its buy dialog open at once. */
function Store({ link }: { link: LinkAnswer }) {
  const t = useText();
  const promise = usePromise();
  const store = useQuery(storeQuery(String(link.store.id)));
  const [isBuying, setBuying] = useState(true);
  if (store.isError) return <RetryPanel title={t("redirect.unavailable")} query={store} />;
  if (!store.data) return <Skeletons count={1} className="h-32" />;
  const { data } = store;
  const notes = [
    link.was_referral && t("goPage.referral"),
    link.is_short ? t("goPage.short") : !link.leads_to_page && t("goPage.frontPage", { store: data.name }),
  ].filter(Boolean);
  return (
    <div className="card card-body grid gap-3">
      <div className={`section-actions ${style.head}`}>
        <StoreMark store={data} />
        <h2>
          <Link to={paths.store(data.id)}>{data.name}</Link>
        </h2>
        <PromisePercent promise={promise(data)} store={data} />
      </div>
      <p>{link.url}</p>
      {notes.map((note) => (
        <p key={String(note)} className="hint">
          {note}
        </p>
      ))}
      <div className="action-row">
        <button type="button" className="button button-signal" onClick={() => startTransition(() => setBuying(true))}>
          {t("goPage.buy")}
        </button>
      </div>
      {isBuying && <BuyDialog store={data} link={link.url} onClose={() => setBuying(false)} />}
    </div>
  );
}
