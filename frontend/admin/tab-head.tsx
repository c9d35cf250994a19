/** The fixed sentence at the top of a tab. docs/product.md#admin-panel */
export function Placeholder({ title, text }: { title: string; text: string }) {
  return (
    <div className="tab-placeholder">
      <h2 className="section-title">{title}</h2>
      <p className="muted">{text}</p>
    </div>
  );
}
