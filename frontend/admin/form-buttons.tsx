import style from "./form-buttons.module.css";
import { t } from "./texts.ts";

type FormButtonsProps = {
  isSubmitting: boolean;
  /** The form's draft goes with it. Undefined: the form cannot be left. */
  onCancel: (() => void) | undefined;
  draft: { drop: () => void };
};

/** How a form of a list ends: without saving, or with. */
export function FormButtons({ isSubmitting, onCancel, draft }: FormButtonsProps) {
  return (
    <div className={`buttons ${style.buttons}`}>
      {onCancel && (
        <button
          type="button"
          className="button button-quiet"
          onClick={() => {
            draft.drop();
            onCancel();
          }}
        >
          {t("cancel")}
        </button>
      )}
      <button type="submit" className="button" disabled={isSubmitting}>
        {isSubmitting ? t("saving") : t("save")}
      </button>
    </div>
  );
}
