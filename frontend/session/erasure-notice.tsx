import { useMutation } from "@tanstack/react-query";
import { keepProfile } from "../api/calls.ts";
import { reasonOf } from "../api/reason-of.ts";
import { useText } from "../i18n/language.tsx";
import { useFormat } from "../i18n/use-format.ts";
import { toast } from "../ui/toast.ts";
import { useSession } from "./session.tsx";

/** The day of the erasure, and the one button that undoes it. */
export default function ErasureNotice() {
  const t = useText();
  const { dateTime } = useFormat();
  const { profile, refresh } = useSession();
  const keep = useMutation({
    mutationFn: keepProfile,
    async onSuccess() {
      toast.success(t("erasure.kept"), { id: "profile" });
      await refresh();
    },
    onError: (error) => toast.error(reasonOf(error, t), { id: "profile" }),
  });
  const erasure = profile?.erasure;
  if (!erasure) return null;
  return (
    <div className="notice" role="status">
      <p>{t(erasure.is_own ? "erasure.own" : "erasure.staff", { day: dateTime(erasure.takes_effect_at) })}</p>
      <button type="button" className="button button-small" disabled={keep.isPending} onClick={() => keep.mutate()}>
        {t("erasure.keep")}
      </button>
    </div>
  );
}
