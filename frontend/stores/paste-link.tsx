import type { FormEvent } from "react";
import { FormattedMessage } from "react-intl";
import { useNavigate } from "react-router";
import { paths } from "../app/paths.ts";
import style from "./paste-link.module.css";

/** A field for the address of a product; what is pasted opens with cashback. docs/product.md#links */
export function PasteLink({ url = "" }: { url?: string }) {
  const navigate = useNavigate();
  const open = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const pasted = String(new FormData(event.currentTarget).get("url") ?? "").trim();
    navigate(paths.go(pasted));
  };
  return (
    <form className={style.form} noValidate onSubmit={open} key={url}>
      <label className="field">
        <span>
          <FormattedMessage id="go.field" />
        </span>
        <input name="url" inputMode="url" autoComplete="off" placeholder="https://" defaultValue={url} />
      </label>
      <button type="submit" className="button button-quiet">
        <FormattedMessage id="go.open" />
      </button>
    </form>
  );
}
