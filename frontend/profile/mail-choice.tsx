import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { MAIL_TOPIC_NAMES, type MailTopic } from "../../core/rules/events.ts";
import { chooseMail, sendMailLink } from "../api/calls.ts";
import { knownOf } from "../api/heard.ts";
import { configQuery } from "../api/queries.ts";
import { reasonOf } from "../api/reason-of.ts";
import { useLanguage, useText } from "../i18n/language.tsx";
import { Card } from "../ui/card.tsx";
import { RetryPanel } from "../ui/state-panel.tsx";
import { toast } from "../ui/toast.ts";
import { mailQuery } from "./queries.ts";

/** What the user gets e-mails about; nothing where the site sends none. docs/product.md#mail */
export function MailChoice({ wallet, email }: { wallet: string; email: string }) {
  const t = useText();
  const { language } = useLanguage();
  const client = useQueryClient();
  const query = mailQuery(wallet, email);
  const { data: config } = useQuery(configQuery);
  const saved = useQuery({ ...query, enabled: config.mail });
  const { data } = saved;
  const choose = useMutation({
    mutationFn: (topics: readonly MailTopic[]) => chooseMail({ topics: [...topics], language }),
    onSuccess: (choice) => client.setQueryData(query.queryKey, choice),
    onError: (error) => toast.error(reasonOf(error, t), { id: "mail" }),
  });
  const send = useMutation({
    mutationFn: sendMailLink,
    onSuccess: () => client.invalidateQueries({ queryKey: query.queryKey }),
    onError: (error) => toast.error(reasonOf(error, t), { id: "mail" }),
  });
  if (!config.mail || data?.is_available === false) return null;
  if (saved.isError) return <RetryPanel title={t("mail.title")} query={saved} />;
  const chosen = choose.isPending
    ? choose.variables
    : (data?.topics ?? []).flatMap((topic) => knownOf(MAIL_TOPIC_NAMES, topic) ?? []);
  const toggle = (topic: MailTopic) =>
    choose.mutate(chosen.includes(topic) ? chosen.filter((one) => one !== topic) : [...chosen, topic]);
  return (
    <Card title={t("mail.title")}>
      <p className="muted">{t("mail.text")}</p>
      <fieldset className="grid gap-3" disabled={!data || choose.isPending}>
        <legend className="sr-only">{t("mail.title")}</legend>
        {MAIL_TOPIC_NAMES.map((topic) => (
          <label key={topic} className="check">
            <input type="checkbox" checked={chosen.includes(topic)} onChange={() => toggle(topic)} />
            <span>{t(`mail.${topic}`)}</span>
          </label>
        ))}
      </fieldset>
      <p role="status">{data && t(chosen.length === 0 ? "mail.unwanted" : stateOf(data), { email })}</p>
      {data && chosen.length > 0 && !data.is_verified && (
        <p>
          <button
            type="button"
            className="button button-quiet"
            disabled={send.isPending || choose.isPending}
            onClick={() => send.mutate()}
          >
            {t(send.isPending ? "mail.sending" : data.link_sent_at ? "mail.sendAgain" : "mail.send")}
          </button>
        </p>
      )}
    </Card>
  );
}

function stateOf({ is_verified, link_sent_at }: Awaited<ReturnType<typeof chooseMail>>) {
  if (is_verified) return "mail.verified";
  return link_sent_at ? "mail.verify" : "mail.unverified";
}
