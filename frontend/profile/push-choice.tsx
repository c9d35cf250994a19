import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { MAIL_TOPIC_NAMES, type MailTopic } from "../../core/rules/events.ts";
import { knownOf } from "../api/heard.ts";
import { choosePush, endPushDevice } from "../api/push-calls.ts";
import { reasonOf } from "../api/reason-of.ts";
import { useLanguage, useText } from "../i18n/language.tsx";
import { addDevice, forgetDevice } from "../session/push-device.ts";
import { Card } from "../ui/card.tsx";
import { RetryPanel } from "../ui/state-panel.tsx";
import { toast } from "../ui/toast.ts";
import { pushDeviceQuery, pushQuery } from "./push-queries.ts";

/** What the user gets on their devices, and whether this is one of them. docs/product.md#push */
export default function PushChoice({ wallet, vapidKey }: { wallet: string; vapidKey: string }) {
  const t = useText();
  const { language } = useLanguage();
  const client = useQueryClient();
  const query = pushQuery(wallet);
  const saved = useQuery(query);
  const { data } = saved;
  const own = useQuery(pushDeviceQuery(wallet));
  const [isDenied, setDenied] = useState(canAsk() && Notification.permission === "denied");
  const refresh = () => Promise.all([saved.refetch(), own.refetch()]);
  const onError = (error: Error) => toast.error(reasonOf(error, t), { id: "push" });
  const topics = (data?.topics ?? []).flatMap((topic) => knownOf(MAIL_TOPIC_NAMES, topic) ?? []);
  const choose = useMutation({
    mutationFn: (wish: { topics?: MailTopic[]; show_amounts?: boolean }) =>
      choosePush({ topics, show_amounts: data?.show_amounts ?? false, language, ...wish }),
    onSuccess: (choice) => client.setQueryData(query.queryKey, choice),
    onError,
  });
  const begin = useMutation({
    async mutationFn() {
      const permission = await Notification.requestPermission();
      setDenied(permission === "denied");
      if (permission !== "granted") return;
      await addDevice(wallet, vapidKey);
      if (topics.length === 0) await choose.mutateAsync({ topics: [...MAIL_TOPIC_NAMES] });
    },
    onSettled: refresh,
    // Not a word of the server: this browser cannot.
    onError: (error) =>
      toast.error(error instanceof DOMException ? t("push.failed") : reasonOf(error, t), { id: "push" }),
  });
  const id = own.data;
  const isOn = typeof id === "number" && data?.devices.includes(id) === true;
  const end = useMutation({
    async mutationFn() {
      await forgetDevice();
      if (typeof id === "number") await endPushDevice(id);
    },
    onSettled: refresh,
    onError,
  });
  if (saved.isError) return <RetryPanel title={t("push.title")} query={saved} />;
  const isBusy = begin.isPending || end.isPending || choose.isPending || !data;
  const cannot = !canAsk()
    ? isApple()
      ? "push.install"
      : "push.unsupported"
    : isDenied && !isOn
      ? "push.denied"
      : null;
  const toggle = (topic: MailTopic) =>
    choose.mutate({ topics: topics.includes(topic) ? topics.filter((one) => one !== topic) : [...topics, topic] });
  return (
    <Card title={t("push.title")}>
      <p className="muted">{t("push.text")}</p>
      {cannot ? (
        <p role="status">{t(cannot)}</p>
      ) : (
        <p>
          <button
            type="button"
            className={isOn ? "button button-quiet" : "button"}
            disabled={isBusy || own.isPending}
            onClick={() => (isOn ? end : begin).mutate()}
          >
            {t(isOn ? "push.end" : "push.begin")}
          </button>
        </p>
      )}
      {(data?.devices.length ?? 0) > 0 && (
        <fieldset className="grid gap-3" disabled={isBusy}>
          <legend className="sr-only">{t("push.title")}</legend>
          {MAIL_TOPIC_NAMES.map((topic) => (
            <label key={topic} className="check">
              <input type="checkbox" checked={topics.includes(topic)} onChange={() => toggle(topic)} />
              <span>{t(`mail.${topic}`)}</span>
            </label>
          ))}
          <label className="check">
            <input
              type="checkbox"
              checked={data?.show_amounts === true}
              onChange={(event) => choose.mutate({ show_amounts: event.target.checked })}
            />
            <span>{t("push.amounts")}</span>
          </label>
        </fieldset>
      )}
    </Card>
  );
}

const canAsk = (): boolean => "serviceWorker" in navigator && "PushManager" in window && "Notification" in window;

/** iOS has them for an installed app alone. */
const isApple = (): boolean => "standalone" in navigator;
