import { useEffect, useState } from "react";
import { type MessageId, useText } from "../../i18n/language.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Field } from "../../ui/field.tsx";
import { toast } from "../../ui/toast.ts";
import { useOneSubmit } from "../../ui/use-one-at-a-time.ts";
import type { PasskeyWallet } from "./kept.ts";
import { doWithPasskey } from "./passkey.ts";
import { passkeyProblem } from "./passkey-problem.ts";
import style from "./words-dialog.module.css";
import { isSameWord, keepWordsState, somePositions } from "./words-kept.ts";

const ASKED_BACK = 3;

type Step = { name: "before" } | { name: "shown"; words: string[] } | { name: "asked"; words: string[]; at: number[] };

/** Shows the 24 words after face or finger, and asks three of them back. docs/product.md#wallet-passkey */
export default function WordsDialog({ wallet, onClose }: { wallet: PasskeyWallet; onClose: () => void }) {
  const t = useText();
  const [step, setStep] = useState<Step>({ name: "before" });
  const [problem, setProblem] = useState<MessageId>();
  useEffect(() => {
    // A call, another app, the system's list of open pages: the words are not left on screen.
    const hide = () => document.hidden && setStep({ name: "before" });
    document.addEventListener("visibilitychange", hide);
    return () => document.removeEventListener("visibilitychange", hide);
  }, []);

  const show = useOneSubmit(async () => {
    setProblem(undefined);
    try {
      const { result } = await doWithPasskey({ kind: "words" }, wallet);
      setStep({ name: "shown", words: result.split(" ") });
    } catch (error) {
      setProblem(passkeyProblem(error) ?? "passkey.failed");
    }
  });
  const done = () => {
    keepWordsState(wallet.address, "saved");
    toast.success(t("passkey.words.saved"), { id: "passkey-words" });
    onClose();
  };
  const actions =
    step.name === "before" ? (
      <button type="submit" form="passkey-words" className="button">
        {t("passkey.words.show")}
      </button>
    ) : step.name === "shown" ? (
      <button
        type="button"
        className="button"
        onClick={() => setStep({ ...step, name: "asked", at: somePositions(ASKED_BACK, step.words.length) })}
      >
        {t("passkey.words.written")}
      </button>
    ) : (
      <button type="submit" form="passkey-words-asked" className="button">
        {t("passkey.words.check")}
      </button>
    );
  return (
    <Dialog title={t("passkey.words")} onClose={onClose} leave={t("common.cancel")} actions={actions}>
      {step.name === "before" && (
        <form id="passkey-words" className="grid gap-3" onSubmit={show} noValidate>
          {(["one", "two", "three"] as const).map((point) => (
            <p key={point}>{t(`passkey.words.before.${point}`)}</p>
          ))}
          {problem && (
            <p role="alert" className="problem">
              {t(problem)}
            </p>
          )}
        </form>
      )}
      {step.name === "shown" && (
        <>
          <p className="muted mb-4">{t("passkey.words.shown")}</p>
          <ol className={style.words} translate="no">
            {step.words.map((word, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a word may stand twice, and never moves
              <li key={at}>{word}</li>
            ))}
          </ol>
        </>
      )}
      {step.name === "asked" && (
        <AskedBack {...step} onRight={done} onAgain={() => setStep({ name: "shown", words: step.words })} />
      )}
    </Dialog>
  );
}

type AskedBackProps = { words: string[]; at: number[]; onRight: () => void; onAgain: () => void };

function AskedBack({ words, at, onRight, onAgain }: AskedBackProps) {
  const t = useText();
  const [typed, setTyped] = useState<Record<number, string>>({});
  const [wrong, setWrong] = useState<number[]>([]);
  const submit = useOneSubmit(async () => {
    const missed = at.filter((one) => !isSameWord(typed[one] ?? "", words[one]));
    setWrong(missed);
    if (missed.length === 0) onRight();
  });
  return (
    <form id="passkey-words-asked" className="grid gap-4" onSubmit={submit} noValidate>
      <p className="muted">{t("passkey.words.asked")}</p>
      {at.map((one, index) => (
        <Field
          key={one}
          label={t("passkey.words.number", { number: one + 1 })}
          problem={wrong.includes(one) ? t("passkey.words.wrong", { number: one + 1 }) : undefined}
        >
          {(control) => (
            <input
              // biome-ignore lint/a11y/noAutofocus: the dialog's button that had the focus is gone
              autoFocus={index === 0}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              value={typed[one] ?? ""}
              onChange={(event) => setTyped({ ...typed, [one]: event.target.value })}
              {...control}
            />
          )}
        </Field>
      ))}
      <p>
        <button type="button" className="link" onClick={onAgain}>
          {t("passkey.words.again")}
        </button>
      </p>
    </form>
  );
}
