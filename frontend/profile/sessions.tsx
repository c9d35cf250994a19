import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { DEVICES } from "../../core/rules/session.ts";
import { endSession, logoutEverywhere } from "../api/calls.ts";
import { knownOf } from "../api/heard.ts";
import { reasonOf } from "../api/reason-of.ts";
import type { OwnSession } from "../api/shapes.ts";
import { useText } from "../i18n/language.tsx";
import { useFormat } from "../i18n/use-format.ts";
import { Card } from "../ui/card.tsx";
import { RetryPanel } from "../ui/state-panel.tsx";
import { toast } from "../ui/toast.ts";
import { sessionsQuery } from "./queries.ts";

/** Where the user is signed in, and how to end that. docs/product.md#session */
export function Sessions({ wallet }: { wallet: string }) {
  const t = useText();
  const client = useQueryClient();
  const query = sessionsQuery(wallet);
  const open = useQuery(query);
  const refresh = () => client.invalidateQueries({ queryKey: query.queryKey });
  const onError = (error: Error) => toast.error(reasonOf(error, t), { id: "profile" });
  const end = useMutation({ mutationFn: endSession, onSettled: refresh, onError });
  const endOthers = useMutation({
    mutationFn: logoutEverywhere,
    onSuccess: ({ ended }) => toast.success(t("profile.sessions.ended", { count: ended }), { id: "profile" }),
    onSettled: refresh,
    onError,
  });
  if (open.isError) return <RetryPanel title={t("profile.sessions")} query={open} />;
  return (
    <Card title={t("profile.sessions")}>
      <p className="muted">{t("profile.sessions.text")}</p>
      <ul className="grid gap-4">
        {open.data?.map((session) => (
          <Session key={session.id} session={session} isBusy={end.isPending} onEnd={() => end.mutate(session.id)} />
        ))}
      </ul>
      <p>
        <button
          type="button"
          className="button button-quiet"
          disabled={endOthers.isPending}
          onClick={() => endOthers.mutate()}
        >
          {t("profile.sessions.end")}
        </button>
      </p>
    </Card>
  );
}

function Session({ session, isBusy, onEnd }: { session: OwnSession; isBusy: boolean; onEnd: () => void }) {
  const t = useText();
  const { dateTime } = useFormat();
  const { device, started_at, used_at, is_current } = session;
  const name = t(`profile.session.${knownOf(DEVICES, device) ?? "unknown"}`);
  return (
    <li className="grid gap-2">
      <div>
        <strong>{name}</strong>
        <p className="muted">{t("profile.session.times", { start: dateTime(started_at), used: dateTime(used_at) })}</p>
      </div>
      <p>
        {is_current ? (
          t("profile.session.current")
        ) : (
          <button
            type="button"
            className="button button-quiet"
            aria-label={t("profile.session.endOne", { device: name, start: dateTime(started_at) })}
            disabled={isBusy}
            onClick={onEnd}
          >
            {t("profile.session.end")}
          </button>
        )}
      </p>
    </li>
  );
}
