import { useQuery } from "@tanstack/react-query";
import { type ChangeEvent, useEffect } from "react";
import { type FieldError, useWatch } from "react-hook-form";
import { z } from "zod";
import { saveFanTokenRequestSchema } from "../../../core/rules/api/catalogue.ts";
import { isAddressShaped } from "../../../core/rules/wallet-address.ts";
import { ApiError } from "../../api/http.ts";
import { useText } from "../../i18n/language.tsx";
import { DraftNotice, useDraft, useKeptForm } from "../../session/use-draft.tsx";
import { Field } from "../../ui/field.tsx";
import { Initial } from "../../ui/initial.tsx";
import { Picture } from "../../ui/picture.tsx";
import { trimmed, useForm } from "../../ui/use-form.ts";
import { useOneSubmit } from "../../ui/use-one-at-a-time.ts";
import { type FanTokenFields, saveFanToken } from "../admin-calls.ts";
import { fieldResolver } from "../field-resolver.ts";
import { FormButtons } from "../form-buttons.tsx";
import panelStyle from "../panel.module.css";
import { refusalOf } from "../refusals.ts";
import { RichText } from "../rich-text.tsx";
import { t } from "../texts.ts";
import { useSaving } from "../use-saving.ts";
import style from "./fan-token-form.module.css";
import { tokenContractQuery } from "./queries.ts";

const EMPTY_FORM = { name: "", slug: "", image: "", contract: "" };
export const EMPTY_FAN_TOKEN: FanTokenFields = EMPTY_FORM;

/** Their pictures are part of the app; every other token needs its own. */
const BUILT_IN = ["psg", "verdao"];

const { name: nameSchema, slug: slugSchema } = saveFanTokenRequestSchema.shape;

/** The form only requires an image URL: the preview shows whether it works, and the server decides. */
const schema = z
  .object({
    name: nameSchema,
    slug: slugSchema,
    image: z.string().trim(),
    contract: z.string().trim().refine(isContractText),
  })
  .refine(({ image, slug }) => image !== "" || BUILT_IN.includes(slug), { path: ["image"], when: () => true });

function isContractText(text: string): boolean {
  return text === "" || isAddressShaped(text);
}

type FanTokenFormProps = {
  initial: FanTokenFields;
  onCancel: (() => void) | undefined;
  /** After saving. */
  onClose: () => void;
  reload: () => Promise<unknown>;
};

/** Name, slug and image are required; the slug takes lower-case letters, digits and hyphens. docs/product.md#admin-fan-token-form. */
export function FanTokenForm({ onCancel, ...props }: FanTokenFormProps) {
  const shop = useText();
  const { register, control: form, errors, isSubmitting, draft, save } = useFanTokenForm(props);
  const [name, slug, image, contract] = useWatch({ control: form, name: ["name", "slug", "image", "contract"] });
  const isBuiltIn = BUILT_IN.includes(slug);
  // In the order of the fields: the first invalid one gets the focus.
  const nameProps = register("name", trimmed);
  const slugProps = register("slug", trimmed);

  return (
    <form onSubmit={save} noValidate className="grid gap-4">
      <DraftNotice draft={draft} />
      <Field label={t("name")} problem={errors.name && shop("fanTokenRequired")}>
        {(control) => <input required maxLength={60} {...control} {...nameProps} />}
      </Field>
      <Field
        label={t("tokenForm.slug")}
        hint={errors.slug ? undefined : shop("fanTokenSlugHelp")}
        problem={serversWord(errors.slug) ?? (errors.slug && shop(slug ? "fanTokenSlugHelp" : "fanTokenRequired"))}
      >
        {(control) => (
          <input
            required
            autoCapitalize="none"
            {...control}
            {...slugProps}
            onChange={(event) => {
              lowerCase(event);
              return slugProps.onChange(event);
            }}
          />
        )}
      </Field>
      <Field
        label={t("tokenForm.image")}
        hint={isBuiltIn ? t("tokenForm.image.hint") : undefined}
        problem={errors.image && shop("fanTokenRequired")}
      >
        {(control) => <input type="url" required={!isBuiltIn} {...control} {...register("image", trimmed)} />}
      </Field>
      <Field
        label={t("tokenForm.contract")}
        hint={t("tokenForm.contract.hint")}
        problem={serversWord(errors.contract) ?? (errors.contract && t("tokenForm.contract.invalid"))}
      >
        {(control) => (
          <input
            autoCapitalize="none"
            spellCheck={false}
            maxLength={42}
            {...control}
            {...register("contract", trimmed)}
          />
        )}
      </Field>
      <OnChain contract={contract.trim()} />
      <Preview image={image} name={name} slug={slug} />
      <FormButtons isSubmitting={isSubmitting} onCancel={onCancel} draft={draft} />
    </form>
  );
}

/** The form's state, which survives the session as a draft, and its saving. */
function useFanTokenForm({ initial, onClose, reload }: Omit<FanTokenFormProps, "onCancel">) {
  const shop = useText();
  const { id, contract: before, ...fields } = initial;
  const draft = useDraft(`fan token ${id ?? "new"}`, { ...fields, contract: before ?? "" });
  const { register, handleSubmit, reset, setFocus, setError, subscribe, control, formState } = useForm({
    defaultValues: draft.start,
    resolver: fieldResolver<typeof EMPTY_FORM>(schema),
  });
  const { errors, isSubmitting } = formState;
  useKeptForm(subscribe, draft);
  useEffect(() => {
    if (id) setFocus("name");
  }, [id, setFocus]);

  const finish = useSaving(
    { done: shop("fanTokenSaved"), failed: shop("errorSavingFanToken"), reload, onClose },
    () => {
      reset(EMPTY_FORM);
      draft.drop();
    },
  );
  const save = useOneSubmit(
    handleSubmit(async ({ contract: entered, ...rest }) => {
      const change = entered === (before ?? "") ? {} : { contract: entered || null };
      const outcome = await finish(() => saveFanToken({ ...(id && { id }), ...rest, ...change }));
      const field = outcome.error instanceof ApiError ? outcome.error.field : undefined;
      if (field === "slug" || field === "contract") {
        setError(field, { type: "server", message: refusalOf(outcome.error) ?? "" }, { shouldFocus: true });
      }
    }),
  );
  return { register, control, errors, isSubmitting, draft, save };
}

/** The picture that the URL names, or what is missing. */
function Preview({ image, name, slug }: { image: string; name: string; slug: string }) {
  return (
    <div>
      <p className={panelStyle.legend}>{t("tokenForm.preview")}</p>
      <div className={style.preview}>
        {image ? (
          <Picture
            key={image}
            src={isShowable(image) ? image : ""}
            alt={t("tokenForm.preview.alt", { name: name || "fan token" })}
            className={style.image}
            fallback={
              <span role="img" aria-label={t("tokenForm.broken")} className={style.broken}>
                <Initial name={slug || "?"} letters={3} />
                <span aria-hidden="true">{t("tokenForm.broken.hint")}</span>
              </span>
            }
          />
        ) : (
          <span className="muted">{t("tokenForm.noImage")}</span>
        )}
      </div>
    </div>
  );
}

/** Values already used by another token. */
const serversWord = (error: FieldError | undefined): string | undefined =>
  error?.type === "server" ? error.message : undefined;

/** URLs that the Content Security Policy allows; a half-typed one is not requested. */
function isShowable(image: string): boolean {
  if (image.startsWith("/")) return true;
  if (!URL.canParse(image)) return false;
  const { protocol, origin } = new URL(image);
  return ["https:", "data:", "ipfs:"].includes(protocol) || origin === location.origin;
}

/** Keeps the position of the cursor. */
function lowerCase({ target }: ChangeEvent<HTMLInputElement>): void {
  const { selectionStart, selectionEnd } = target;
  target.value = target.value.toLowerCase();
  target.setSelectionRange(selectionStart, selectionEnd);
}

/** Metadata of a token's contract, so that a wrong address is noticed before saving. */
function OnChain({ contract }: { contract: string }) {
  const token = useQuery(tokenContractQuery(contract));
  if (!isAddressShaped(contract)) return null;
  if (token.isPending) {
    return (
      <p className="busy" role="status">
        <span className="spinner" aria-hidden="true" />
        {t("tokenForm.reading")}
      </p>
    );
  }
  if (!token.data) {
    return (
      <p className="problem" role="alert">
        {refusalOf(token.error) ?? t("tokenForm.noToken")}
      </p>
    );
  }
  const { symbol, name, decimals } = token.data;
  return (
    <p className="hint" role="status">
      <RichText
        id={name ? "tokenForm.onChain" : "tokenForm.onChainNameless"}
        symbol={<strong>{symbol}</strong>}
        name={name}
        decimals={decimals}
      />
    </p>
  );
}
