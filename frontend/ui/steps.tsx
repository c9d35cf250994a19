type Step = { title: string; text?: string };

/** Numbered steps on one strip, under a heading of the second level. */
export function Steps({ steps }: { steps: Step[] }) {
  return (
    <ol className="steps">
      {steps.map(({ title, text }, index) => (
        <li key={title}>
          <span className="step-number" aria-hidden="true">
            {index + 1}
          </span>
          <h3>{title}</h3>
          {text && <p className="muted">{text}</p>}
        </li>
      ))}
    </ol>
  );
}
