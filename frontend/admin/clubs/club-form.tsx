import { useQuery } from "@tanstack/react-query";
import { useWatch } from "react-hook-form";
import { z } from "zod";
import { type Club as AnsweredClub, saveClubRequestSchema } from "../../../core/rules/api/clubs.ts";
import { CLUB_PATTERNS, type ClubPattern } from "../../../core/rules/clubs/club.ts";
import { clubGround, contrast } from "../../../core/rules/clubs/club-colours.ts";
import { must } from "../../../core/rules/field-rules.ts";
import type { Heard } from "../../api/heard.ts";
import { ApiError } from "../../api/http.ts";
import { fanTokensQuery } from "../../api/queries.ts";
import { initialsOf, Shirt } from "../../club/shirt.tsx";
import { ClubStands } from "../../club/stands.tsx";
import { DraftNotice, useDraft, useKeptForm } from "../../session/use-draft.tsx";
import { Field } from "../../ui/field.tsx";
import { trimmed, useForm } from "../../ui/use-form.ts";
import { useOneSubmit } from "../../ui/use-one-at-a-time.ts";
import { type ClubFields, saveClub } from "../admin-calls.ts";
import { fieldResolver } from "../field-resolver.ts";
import { FormButtons } from "../form-buttons.tsx";
import panelStyle from "../panel.module.css";
import { refusalOf } from "../refusals.ts";
import { t } from "../texts.ts";
import { useSaving } from "../use-saving.ts";
import style from "./club-form.module.css";

type Club = Heard<AnsweredClub>;

const EMPTY: ClubFields = {
  ...{ slug: "", name: "", aliases: "", colours: "", pattern: "plain", country: "BR", token_slug: "" },
};

const fieldsOf = ({ slug, name, aliases, colours, pattern, country, token_slug }: Club): ClubFields => ({
  ...{ slug, name, pattern, country },
  aliases: aliases.join(", "),
  colours: colours.join(" "),
  token_slug: token_slug ?? "",
});

const { aliases: aliasesSchema, colours: coloursSchema } = saveClubRequestSchema.shape;
/** As the api's, with a list's fault at the field in which it is typed. */
const schema = saveClubRequestSchema.extend({
  aliases: z.string().refine((text) => aliasesSchema.safeParse(text).success, must("names")),
  colours: z.string().refine((text) => coloursSchema.safeParse(text).success, must("colours")),
});

type ClubFormProps = {
  /** Undefined: a new one. */
  club: Club | undefined;
  onCancel: (() => void) | undefined;
  /** After saving. */
  onClose: () => void;
  reload: () => Promise<unknown>;
};

/** A club as a file and the API have it, with the shirt as it will be. docs/product.md#clubs */
export function ClubForm({ club, onCancel, ...props }: ClubFormProps) {
  const { register, control: form, errors, isSubmitting, draft, save } = useClubForm({ club, ...props });
  const { data: tokens = [] } = useQuery(fanTokensQuery);
  const [name, colours, pattern] = useWatch({ control: form, name: ["name", "colours", "pattern"] });
  const problem = (field: keyof ClubFields) => errors[field]?.message;
  return (
    <form onSubmit={save} noValidate className="grid gap-4">
      <DraftNotice draft={draft} />
      <Field label={t("name")} problem={problem("name")}>
        {(control) => <input required maxLength={60} {...control} {...register("name", trimmed)} />}
      </Field>
      <Field label={t("tokenForm.slug")} hint={t("clubs.slug.hint")} problem={problem("slug")}>
        {(control) => (
          <input
            required
            readOnly={club !== undefined}
            autoCapitalize="none"
            spellCheck={false}
            {...control}
            {...register("slug", trimmed)}
          />
        )}
      </Field>
      <Field label={t("clubs.aliases")} hint={t("clubs.aliases.hint")} problem={problem("aliases")}>
        {(control) => <textarea rows={3} {...control} {...register("aliases")} />}
      </Field>
      <Field label={t("clubs.colours")} hint={t("clubs.colours.hint")} problem={problem("colours")}>
        {(control) => (
          <input required autoCapitalize="none" spellCheck={false} {...control} {...register("colours", trimmed)} />
        )}
      </Field>
      <Field label={t("clubs.pattern")} problem={problem("pattern")}>
        {(control) => (
          <select {...control} {...register("pattern")}>
            {CLUB_PATTERNS.map((one) => (
              <option key={one} value={one}>
                {t(`clubs.pattern.${one}`)}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label={t("clubs.country")} hint={t("clubs.country.hint")} problem={problem("country")}>
        {(control) => <input required maxLength={2} {...control} {...register("country", trimmed)} />}
      </Field>
      <Field label={t("clubs.token")} hint={t("clubs.token.hint")} problem={problem("token_slug")}>
        {(control) => (
          <select {...control} {...register("token_slug")}>
            <option value="">{t("clubs.token.none")}</option>
            {tokens.map((token) => (
              <option key={token.slug} value={token.slug}>
                {token.name} ({token.slug})
              </option>
            ))}
          </select>
        )}
      </Field>
      <Preview name={name} colours={colours} pattern={pattern} />
      <FormButtons isSubmitting={isSubmitting} onCancel={onCancel} draft={draft} />
    </form>
  );
}

/** The form's state, which survives the session as a draft, and its saving. */
function useClubForm({ club, onClose, reload }: Omit<ClubFormProps, "onCancel">) {
  const draft = useDraft(`club ${club?.slug ?? "new"}`, club ? fieldsOf(club) : EMPTY);
  const { register, handleSubmit, reset, setError, subscribe, control, formState } = useForm({
    defaultValues: draft.start,
    resolver: fieldResolver<ClubFields>(schema),
  });
  const { errors, isSubmitting } = formState;
  useKeptForm(subscribe, draft);
  const finish = useSaving({ done: t("clubs.saved"), failed: t("clubs.failed"), reload, onClose }, () => {
    reset(EMPTY);
    draft.drop();
  });
  const save = useOneSubmit(
    handleSubmit(async (fields) => {
      const outcome = await finish(() => saveClub(fields));
      const field = outcome.error instanceof ApiError ? outcome.error.field : undefined;
      if (field === "slug" || field === "name" || field === "token_slug") {
        setError(field, { type: "server", message: refusalOf(outcome.error) ?? "" }, { shouldFocus: true });
      }
    }),
  );
  return { register, control, errors, isSubmitting, draft, save };
}

/** Shirt, stands and stub as they will be, and how well what is written on the ground can be read. */
function Preview({ name, colours: typed, pattern }: { name: string; colours: string; pattern: string }) {
  const read = saveClubRequestSchema.shape.colours.safeParse(typed);
  const known: ClubPattern = CLUB_PATTERNS.find((one) => one === pattern) ?? "plain";
  const look = read.success ? { colours: read.data, pattern: known } : undefined;
  const stub = look && clubGround(look);
  const ratio = (of: string, on: string) => contrast(of, on).toFixed(1);
  return (
    <div>
      <p className={panelStyle.legend}>{t("tokenForm.preview")}</p>
      <div className={style.preview}>
        <Shirt look={look} initials={initialsOf(name)} size={96} />
        {look && stub ? (
          <div className={style.stub} style={{ background: stub.ground, color: stub.ink }}>
            <ClubStands look={look} />
            <p>
              {name || "…"} <strong style={{ color: stub.mark }}>8%</strong>
            </p>
          </div>
        ) : (
          <span className="muted">{t("clubs.preview.none")}</span>
        )}
      </div>
      {stub && (
        <p className="hint">
          {t("clubs.contrast", { ink: ratio(stub.ink, stub.ground), mark: ratio(stub.mark, stub.ground) })}
        </p>
      )}
    </div>
  );
}
