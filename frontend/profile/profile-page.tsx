import { useMutation } from "@tanstack/react-query";
import { lazy, Suspense, useRef, useState } from "react";
import { Link, useNavigate } from "react-router";
import { splitFullName } from "../../core/rules/text.ts";
import { eraseProfile, type PersonalData, updateProfile } from "../api/calls.ts";
import { reasonOf } from "../api/reason-of.ts";
import type { Profile } from "../api/shapes.ts";
import { deployment } from "../app/deployment.ts";
import { PageHeading } from "../app/page.tsx";
import { paths } from "../app/paths.ts";
import { readStored, STORAGE_KEYS } from "../app/storage.ts";
import { type Translate, useText, withLaterTexts } from "../i18n/language.tsx";
import { useFormat } from "../i18n/use-format.ts";
import { useSession } from "../session/session.tsx";
import { useSignedWish, WishDeclinedError } from "../session/signed-wish.ts";
import { DraftNotice, useDraft, useKeptForm } from "../session/use-draft.tsx";
import { Card } from "../ui/card.tsx";
import { fetchedDialog } from "../ui/fetched-dialog.tsx";
import { Field } from "../ui/field.tsx";
import { LinkButton } from "../ui/link-button.tsx";
import { schemaLater } from "../ui/schema-later.ts";
import { Skeletons } from "../ui/skeleton.tsx";
import { EmptyPanel, RetryPanel } from "../ui/state-panel.tsx";
import { toast } from "../ui/toast.ts";
import { useForm } from "../ui/use-form.ts";
import { useOneSubmit } from "../ui/use-one-at-a-time.ts";
import { MailChoice } from "./mail-choice.tsx";
import style from "./profile-page.module.css";
import { Sessions } from "./sessions.tsx";

const YearInChz = lazy(() => import("./year-in-chz.tsx"));
const EraseDialog = fetchedDialog(() => import("./erase-dialog.tsx"));
const PushChoice = lazy(() => withLaterTexts(() => import("./push-choice.tsx")));
const InviteCard = lazy(() => withLaterTexts(() => import("./invite-card.tsx")));
const FanClub = lazy(() => withLaterTexts(() => import("./fan-club.tsx"), "fans"));
const PasskeyCard = lazy(() => withLaterTexts(() => import("./passkey-card.tsx")));

const checkProfile = schemaLater<PersonalData>(async () => {
  const { hasRoomForNames, updateProfileRequestSchema } = await import("../../core/rules/api/people.ts");
  return updateProfileRequestSchema.refine(hasRoomForNames, { path: ["last_name"] });
});

/** Edits names and e-mail, exports the user's data, and erases the account. docs/product.md#erase */
export default function ProfilePage() {
  const t = useText();
  const { profile, status, retry } = useSession();
  return (
    <section className={`page two-columns ${style.page}`}>
      <PageHeading>{t("profile.title")}</PageHeading>
      {profile ? (
        <>
          <p>
            <Link className="link" to={paths.visits}>
              {t("visits.title")}
            </Link>
          </p>
          <div className={style.column}>
            <Names profile={profile} />
            {readStored(STORAGE_KEYS.passkeyWallet) !== null && (
              <Suspense fallback={<Skeletons count={1} className="h-64" />}>
                <PasskeyCard profile={profile} />
              </Suspense>
            )}
            {deployment.invite_bonus_percent && (
              <Suspense fallback={<Skeletons count={1} className="h-48" />}>
                <InviteCard wallet={profile.wallet} />
              </Suspense>
            )}
            <Suspense fallback={<Skeletons count={1} className="h-48" />}>
              <FanClub wallet={profile.wallet} />
            </Suspense>
            <Suspense fallback={<Skeletons count={1} className="h-64" />}>
              <YearInChz wallet={profile.wallet} />
            </Suspense>
          </div>
          <div className={style.column}>
            <MailChoice wallet={profile.wallet} email={profile.email} />
            {deployment.vapid_public_key && (
              <Suspense fallback={<Skeletons count={1} className="h-48" />}>
                <PushChoice wallet={profile.wallet} vapidKey={deployment.vapid_public_key} />
              </Suspense>
            )}
            <Sessions wallet={profile.wallet} />
            <YourData profile={profile} />
          </div>
        </>
      ) : status === "restoring" ? (
        <Skeletons count={2} className="h-48" />
      ) : status === "unreachable" ? (
        <RetryPanel title={t("session.unreachable")} query={retry} />
      ) : (
        <EmptyPanel title={t("profile.visitor")}>
          <LinkButton to={paths.auth(paths.profile)}>{t("dashboard.goToLogin")}</LinkButton>
        </EmptyPanel>
      )}
    </section>
  );
}

/** A signature that was declined in the wallet is no failure. */
const reasonOfSigning = (error: unknown, t: Translate): string =>
  error instanceof WishDeclinedError ? t("wallet.declined") : reasonOf(error, t);

/** The mutation keeps its error, which the form shows. */
const shownBelow = () => {};

function Names({ profile }: { profile: Profile }) {
  const t = useText();
  const { refresh } = useSession();
  const { firstName, lastName } = splitFullName(profile.fullName);
  const draft = useDraft("profile", { first_name: firstName, last_name: lastName, email: profile.email });
  const { register, handleSubmit, subscribe, formState, getValues } = useForm<PersonalData>({
    defaultValues: draft.start,
    resolver: checkProfile,
  });
  useKeptForm(subscribe, draft);
  const { errors } = formState;
  const signed = useSignedWish("email");
  const save = useMutation({
    mutationFn: (fields: PersonalData) => signed((wish) => updateProfile({ ...fields, ...wish })),
    async onSuccess() {
      draft.drop();
      await refresh();
      toast.success(t("profile.saved"), { id: "profile" });
    },
  });
  const submit = useOneSubmit(handleSubmit((fields) => save.mutateAsync(fields).catch(shownBelow)));
  return (
    <Card title={t("profile.names")}>
      <form className="grid gap-4" onSubmit={submit} noValidate>
        <DraftNotice draft={draft} />
        <Field label={t("registration.firstName")} problem={errors.first_name && t("registration.noFirstName")}>
          {(control) => <input autoComplete="given-name" maxLength={80} {...register("first_name")} {...control} />}
        </Field>
        <Field
          label={t("registration.lastName")}
          problem={
            errors.last_name && t(getValues("last_name").trim() ? "registration.longName" : "registration.noLastName")
          }
        >
          {(control) => <input autoComplete="family-name" maxLength={80} {...register("last_name")} {...control} />}
        </Field>
        <Field label={t("registration.email")} problem={errors.email && t("registration.badEmail")}>
          {(control) => <input type="email" autoComplete="email" maxLength={254} {...register("email")} {...control} />}
        </Field>
        <p className="hint">{t("profile.email.signed")}</p>
        {save.error && (
          <p role="alert" className="problem">
            {reasonOfSigning(save.error, t)}
          </p>
        )}
        <p>
          <button type="submit" className="button" disabled={save.isPending}>
            {t(save.isPending ? "profile.saving" : "profile.save")}
          </button>
        </p>
      </form>
    </Card>
  );
}

function YourData({ profile }: { profile: Profile }) {
  const t = useText();
  const { leave, refresh } = useSession();
  const { dateTime } = useFormat();
  const signed = useSignedWish("erase");
  const navigate = useNavigate();
  const [isAsking, setAsking] = useState(false);
  const told = useRef<HTMLParagraphElement>(null);
  const ownDay = profile.erasure?.is_own ? profile.erasure.takes_effect_at : undefined;
  const exportData = useMutation({
    mutationFn: async () => (await import("./export-data.ts")).exportData(profile),
  });
  const erase = useMutation({
    mutationFn: () => signed(eraseProfile),
    async onSuccess({ takes_effect_at: day }) {
      setAsking(false);
      if (day !== undefined) {
        toast.success(t("profile.erase.asked", { day: dateTime(day) }), { id: "profile" });
        await refresh();
        // The button that had the focus is gone.
        told.current?.focus();
        return;
      }
      leave(t("profile.erased"));
      navigate(paths.home);
    },
  });
  return (
    <Card title={t("profile.data")}>
      <p ref={told} tabIndex={-1} className="muted">
        {ownDay ? t("erasure.own", { day: dateTime(ownDay) }) : t("profile.data.text")}{" "}
        <Link className="link" to={paths.help("privacy")}>
          {t("profile.privacy")}
        </Link>
      </p>
      {exportData.error && (
        <p role="alert" className="problem">
          {reasonOf(exportData.error, t)}
        </p>
      )}
      <div className="flex flex-wrap gap-3">
        <button
          type="button"
          className="button button-quiet"
          disabled={exportData.isPending}
          onClick={() => exportData.mutate()}
        >
          {t("profile.export")}
        </button>
        {!ownDay && (
          <button type="button" className="button button-danger" onClick={() => setAsking(true)}>
            {t("profile.erase")}
          </button>
        )}
      </div>
      {isAsking && (
        <EraseDialog
          isBusy={erase.isPending}
          problem={erase.error ? reasonOfSigning(erase.error, t) : ""}
          onErase={() => erase.mutate()}
          onClose={() => {
            erase.reset();
            setAsking(false);
          }}
        />
      )}
    </Card>
  );
}
