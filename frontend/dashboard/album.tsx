import { useQuery } from "@tanstack/react-query";
import { lazy, type ReactNode, Suspense, useState } from "react";
import { FormattedMessage } from "react-intl";
import { Link } from "react-router";
import { featuredStoresQuery } from "../api/queries.ts";
import { paths } from "../app/paths.ts";
import { useText } from "../i18n/language.tsx";
import { useFormat } from "../i18n/use-format.ts";
import { Icon } from "../ui/icon.tsx";
import { LinkButton } from "../ui/link-button.tsx";
import { usePromise } from "../ui/promise.tsx";
import { toast } from "../ui/toast.ts";
import style from "./album.module.css";
import { ALBUM_ORDERS, type AlbumOrder, type AlbumPage, type AlbumSeason } from "./album-pages.ts";
import type { Entry } from "./statement.ts";
import { Sticker } from "./sticker.tsx";

/** Pages are months, until a reader asks for clubs. */
const AlbumClub = lazy(() => import("./album-club.tsx"));

type AlbumProps = {
  /** With the tickets that are shown. */
  seasons: readonly AlbumSeason[];
  /** Those entries as the chain says them, by id, as far as it has answered. */
  drawn: ReadonlyMap<string, Entry>;
  order: AlbumOrder;
  setOrder: (order: AlbumOrder) => void;
  readAll: () => Promise<Entry[]>;
  /** Below the last page. */
  children: ReactNode;
};

/** The tickets of each season as stickers, by month or by club, with the place of the next one. docs/product.md#album */
export function Album({ seasons, drawn, order, setOrder, readAll, children }: AlbumProps) {
  const t = useText();
  return (
    <div className={style.album}>
      {seasons.map(({ year, pages }, index) => (
        <section key={year ?? ""} aria-labelledby={`season-${year ?? ""}`} className={style.season}>
          <div className={style.head}>
            <h3 id={`season-${year ?? ""}`}>
              {year === undefined ? t("statement.undated") : t("album.season", { year: String(year) })}
            </h3>
            {year !== undefined && <ShareSeason year={year} readAll={readAll} />}
            {index === 0 && <OrderSwitch order={order} choose={setOrder} />}
          </div>
          {pages.map((page, at) => (
            <Page key={page.key} page={page} drawn={drawn} hasNext={index === 0 && at === 0 && order === "month"} />
          ))}
        </section>
      ))}
      {children}
    </div>
  );
}

/** `hasNext`: it begins with the place of the next ticket. */
function Page({ page, drawn, hasNext }: Pick<AlbumProps, "drawn"> & { page: AlbumPage; hasNext: boolean }) {
  return (
    <div className={style.page}>
      <PageTitle page={page} />
      <ul className={style.places}>
        {hasNext && (
          <li>
            <Link to={paths.stores} className={style.place}>
              <Icon name="ticket" size={40} />
              <FormattedMessage id="album.next" />
            </Link>
          </li>
        )}
        {page.entries.map((entry) => (
          <li key={entry.id}>
            <Sticker entry={drawn.get(entry.id) ?? entry} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function PageTitle({ page: { month, club } }: { page: AlbumPage }) {
  const { monthAndYear } = useFormat();
  if (month) return <h4>{monthAndYear(month)}</h4>;
  return (
    <h4 className={style.club}>
      <Suspense>
        <AlbumClub slug={club} />
      </Suspense>
    </h4>
  );
}

function OrderSwitch({ order, choose }: { order: AlbumOrder; choose: (order: AlbumOrder) => void }) {
  const t = useText();
  return (
    <fieldset className={`look-switch ${style.order}`}>
      <legend className="sr-only">{t("album.order")}</legend>
      {ALBUM_ORDERS.map((one) => (
        <button key={one} type="button" aria-pressed={one === order} onClick={() => choose(one)}>
          {t(`album.by.${one}`)}
        </button>
      ))}
    </fieldset>
  );
}

/** The season's last tickets as a picture for a friend. docs/product.md#album */
function ShareSeason({ year, readAll }: { year: number; readAll: () => Promise<Entry[]> }) {
  const t = useText();
  const [isDrawing, setDrawing] = useState(false);
  const show = async () => {
    setDrawing(true);
    try {
      const { shareSeason } = await import("./share-season.ts");
      await shareSeason(await readAll(), year, t);
    } catch {
      toast.error(t("share.picture.failed"), { id: "share-picture", description: t("album.share.failed.hint") });
    } finally {
      setDrawing(false);
    }
  };
  return (
    <button
      type="button"
      className="button button-small button-quiet"
      aria-busy={isDrawing}
      onClick={() => !isDrawing && show()}
    >
      {t("share.friend")}
      <span className="sr-only"> {t("album.season", { year: String(year) })}</span>
    </button>
  );
}

/** Who has a ticket needs none. */
const SampleTicket = lazy(async () => ({ default: (await import("../ui/sample-ticket.tsx")).SampleTicket }));

/** The numbers on the places of an album without tickets, but the first. */
const NEXT_PLACES = ["2", "3"];

/** The first page, which waits for its first ticket: as it would be of the featured store that promises most. docs/product.md#album */
export function EmptyAlbum() {
  const t = useText();
  const promise = usePromise();
  const { data } = useQuery(featuredStoresQuery);
  const [best] = (data?.stores ?? []).toSorted((one, other) => Number(promise(other).totalBps - promise(one).totalBps));
  const first = (
    <span aria-hidden="true" className={style.place}>
      {t("ticket.number")} 1
    </span>
  );
  return (
    <div className={style.empty}>
      <div className={style.emptyPlaces}>
        <div className={style.firstPlace}>
          <Suspense fallback={first}>
            {best ? <SampleTicket status="pending" name={best.name} store={best} value={100} /> : first}
          </Suspense>
        </div>
        {NEXT_PLACES.map((place) => (
          <span key={place} aria-hidden="true" className={style.place}>
            {t("ticket.number")} {place}
          </span>
        ))}
      </div>
      <p className="state-title">{t("dashboard.empty")}</p>
      <p className="muted">{t("dashboard.empty.hint")}</p>
      <LinkButton to={paths.stores}>{t("dashboard.explore")}</LinkButton>
    </div>
  );
}
