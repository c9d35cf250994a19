import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { chooseFanClub, fanClubQuery } from "../api/fan-queries.ts";
import { ApiError } from "../api/http.ts";
import { clubsQuery } from "../api/queries.ts";
import { reasonOf } from "../api/reason-of.ts";
import { useText } from "../i18n/language.tsx";
import { Card } from "../ui/card.tsx";
import { Field } from "../ui/field.tsx";
import { Skeletons } from "../ui/skeleton.tsx";
import { RetryPanel } from "../ui/state-panel.tsx";
import { toast } from "../ui/toast.ts";

/** Whether the user counts among a club's fans: nobody does without having said so. docs/product.md#fans */
export default function FanClub({ wallet }: { wallet: string }) {
  const t = useText();
  const client = useQueryClient();
  const query = fanClubQuery(wallet);
  const own = useQuery(query);
  const clubs = useQuery(clubsQuery);
  const choose = useMutation({
    mutationFn: chooseFanClub,
    onSuccess: (saved) => client.setQueryData(query.queryKey, saved),
    onError: (error) => toast.error(reasonOf(error, t), { id: "fan club" }),
  });
  // A server of 1.0.0 knows of no fans.
  if (own.error instanceof ApiError && own.error.status === 404) return null;
  if (own.isError) return <RetryPanel title={t("fanClub.title")} query={own} />;
  if (clubs.isError) return <RetryPanel title={t("fanClub.title")} query={clubs} />;
  if (!own.data || !clubs.data) return <Skeletons count={1} className="h-48" />;
  const sorted = clubs.data.all.toSorted((one, other) => one.name.localeCompare(other.name, "pt-BR"));
  const chosen = choose.isPending ? choose.variables : own.data.slug;
  return (
    <Card title={t("fanClub.title")}>
      <p className="muted">{t("fanClub.text")}</p>
      <Field label={t("fanClub.label")}>
        {(control) => (
          <select
            {...control}
            value={chosen ?? ""}
            disabled={choose.isPending}
            onChange={(event) => choose.mutate(event.target.value || null)}
          >
            <option value="">{t("fanClub.none")}</option>
            {chosen && sorted.every(({ slug }) => slug !== chosen) && (
              <option value={chosen}>{t("fanClub.gone")}</option>
            )}
            {sorted.map(({ slug, name }) => (
              <option key={slug} value={slug}>
                {name}
              </option>
            ))}
          </select>
        )}
      </Field>
    </Card>
  );
}
