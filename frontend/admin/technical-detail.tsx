/** The verbatim message of the program or the contract. */
export function TechnicalDetail({ text }: { text: string }) {
  return (
    <details className="technical">
      <summary>Detalhe técnico</summary>
      <code lang="en">{text}</code>
    </details>
  );
}
