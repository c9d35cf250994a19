import type { ReactNode } from "react";
import style from "./tab-head.module.css";

type TabHeadProps = {
  title: string /** The fixed sentence. docs/product.md#admin-panel */;
  text: string;
  children: ReactNode;
};

/** The title of a tab, its fixed sentence, and what can be done here already. */
export function TabHead({ title, text, children }: TabHeadProps) {
  return (
    <div className={style.head}>
      <h2 className="section-title">{title}</h2>
      <p className="muted">
        {text} {children}
      </p>
    </div>
  );
}
