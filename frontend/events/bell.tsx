import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { UNREAD_MOST } from "../../core/rules/events.ts";
import { useText } from "../i18n/language.tsx";
import { useSession } from "../session/session.tsx";
import { fetchedDialog } from "../ui/fetched-dialog.tsx";
import { Icon } from "../ui/icon.tsx";
import style from "./bell.module.css";
import { unreadQuery } from "./queries.ts";

const EventsDialog = fetchedDialog(() => import("./events-dialog.tsx"));

/** The user's unread events in the header, and the button that lists all. docs/product.md#events */
export function Bell() {
  const t = useText();
  const { status, profile } = useSession();
  const [isOpen, setOpen] = useState(false);
  const count = useUnread(profile);
  if (status === "anonymous") return null;
  const shown = count < UNREAD_MOST ? String(count) : `${UNREAD_MOST - 1}+`;
  return (
    <>
      <button
        type="button"
        className={`icon-button ${style.bell}`}
        aria-label={t("events.bell", { count, shown })}
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      >
        <Icon name="bell" />
        {count > 0 && <span className="notice-count figures">{shown}</span>}
      </button>
      {isOpen && profile && <EventsDialog wallet={profile.wallet} onClose={() => setOpen(false)} />}
    </>
  );
}

/** Counted every minute, and at once when the profile changes, which is when something happened. */
function useUnread(profile: { wallet: string } | undefined): number {
  const { data = 0, refetch } = useQuery({ ...unreadQuery(profile?.wallet ?? ""), enabled: profile !== undefined });
  const earlier = useRef(profile);
  useEffect(() => {
    if (earlier.current && profile && earlier.current !== profile) refetch();
    earlier.current = profile;
  }, [refetch, profile]);
  return profile ? data : 0;
}
