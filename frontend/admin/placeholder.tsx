/** The specification's sentence on top of a tab that says more below. */
export function Placeholder({ title, text }: { title: string; text: string }) {
  return (
    <div className="tab-placeholder">
      <h2 className="section-title">{title}</h2>
      <p className="muted">{text}</p>
    </div>
  );
}
