import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { Link } from "react-router";
import { EVENT_KINDS, eventFigures } from "../../core/rules/events.ts";
import { type Event, markEventsRead } from "../api/calls.ts";
import { knownOf } from "../api/heard.ts";
import { paths } from "../app/paths.ts";
import { useText } from "../i18n/language.tsx";
import { FOREIGN } from "../i18n/situation-word.ts";
import { useFormat } from "../i18n/use-format.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Skeletons } from "../ui/skeleton.tsx";
import { EmptyPanel, RetryPanel } from "../ui/state-panel.tsx";
import style from "./events-dialog.module.css";
import { eventsQuery, unreadQuery } from "./queries.ts";

/** What happened to the user's purchases and claims; reading it marks it as read. */
export default function EventsDialog({ wallet, onClose }: { wallet: string; onClose: () => void }) {
  const t = useText();
  const query = useInfiniteQuery(eventsQuery(wallet));
  const events = query.data?.pages.flatMap((page) => page.rows) ?? [];
  useMarkedRead(wallet, events[0]);
  return (
    <Dialog title={t("events.title")} onClose={onClose}>
      {query.isPending ? (
        <Skeletons count={4} className="h-16" />
      ) : query.isError && events.length === 0 ? (
        <RetryPanel title={t("events.away")} query={query} />
      ) : events.length === 0 ? (
        <EmptyPanel title={t("events.none")} hint={t("events.none.hint")} />
      ) : (
        <ul className={style.list}>
          {events.map((event) => (
            <EventRow key={event.id} event={event} onLeave={onClose} />
          ))}
        </ul>
      )}
      {query.hasNextPage && (
        <button
          type="button"
          className="button button-quiet"
          disabled={query.isFetching}
          onClick={() => query.fetchNextPage()}
        >
          {t(query.isFetching ? "common.loading" : "statement.more")}
        </button>
      )}
    </Dialog>
  );
}

function EventRow({ event, onLeave }: { event: Event; onLeave: () => void }) {
  const t = useText();
  const { brl, chz, dateTime } = useFormat();
  const { kind, store, reason, created_at: at } = event;
  const figures = eventFigures({ value: brl(event.value), amount: event.amount && chz(event.amount), reason });
  return (
    <li className={style.event} data-kind={kind} data-unread={!event.is_read}>
      <Link to={event.purchase_id === null ? paths.visits : paths.dashboard} onClick={onLeave}>
        <strong>
          {store}
          {!event.is_read && <span className="sr-only"> ({t("events.new")})</span>}
        </strong>
        <span>{t(`events.${knownOf(EVENT_KINDS, kind) ?? FOREIGN}`, figures)}</span>
        <time className="muted" dateTime={at}>
          {dateTime(at)}
        </time>
      </Link>
    </li>
  );
}

/** Those in the list keep their mark until it is closed. */
function useMarkedRead(wallet: string, newest: Event | undefined): void {
  const client = useQueryClient();
  const through = newest && !newest.is_read ? newest.id : undefined;
  useEffect(() => {
    if (through === undefined) return;
    markEventsRead(through).then(
      () => client.setQueryData(unreadQuery(wallet).queryKey, 0),
      // They stay unread: the next opening marks them.
      () => {},
    );
  }, [client, wallet, through]);
}
