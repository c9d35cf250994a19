import { type ReactNode, type Ref, useId } from "react";

export function Card({ title, children, ref }: { title: ReactNode; children: ReactNode; ref?: Ref<HTMLElement> }) {
  const id = useId();
  return (
    <section ref={ref} className="card card-body" aria-labelledby={id}>
      <h2 id={id} className="card-title">
        {title}
      </h2>
      {children}
    </section>
  );
}
