/** What the program or the contract said, word for word. */
export function TechnicalDetail({ text }: { text: string }) {
  return (
    <details className="technical">
      <summary>Detalhe técnico</summary>
      <code lang="en">{text}</code>
    </details>
  );
}
