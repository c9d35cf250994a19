import { Link } from "react-router";
import type { STEP_KINDS } from "../../../core/rules/purchase/states.ts";
import { ownValue } from "../../../core/rules/records.ts";
import { paths } from "../../app/paths.ts";
import { useFormat } from "../../i18n/use-format.ts";
import type { PurchaseDetails } from "../shapes.ts";
import { newWord } from "../words.ts";

type Step = PurchaseDetails["steps"][number];
type StepKind = (typeof STEP_KINDS)[number];

const SUBJECTS: Record<string, string> = {
  mint: "emissão do ingresso",
  confirm: "confirmação",
  cancel: "cancelamento",
  pay: "pagamento",
};

const EVENTS: Record<string, string> = {
  PurchaseMinted: "Ingresso emitido na rede",
  StatusUpdated: "Situação do ingresso mudada na rede",
  RateApplied: "Cotação aplicada na rede",
  CashbackPaid: "Cashback pago",
  CashbackDeferred: "Cashback guardado como crédito: a carteira recusou o envio",
  CashbackSkipped: "Pagamento pulado: já estava feito",
  CreditWithdrawn: "Crédito sacado",
};

const KINDS: Record<StepKind, (subject: string) => string> = {
  registered: () => "Compra registrada",
  approved: () => "Venda aprovada",
  reversed: () => "Venda desfeita pela loja",
  settled: () => "Nada mais a fazer",
  held: () => "Retida no painel",
  queued: (subject) => `Na fila: ${subject}`,
  signed: (subject) => `Transação assinada: ${subject}`,
  bumped: (subject) => `Taxa aumentada: ${subject}`,
  mined: (subject) => `Incluída em um bloco: ${subject}`,
  final: (subject) => `Definitiva: ${subject}`,
  reverted: (subject) => `Revertida: ${subject}`,
  lost_nonce: (subject) => `Perdeu a vez para outra transação: ${subject}`,
  chain_event: (subject) => subject,
  owed_back: () => "Cashback a devolver",
  credited: () => "Crédito ao comprador",
};

function sentenceOf({ kind, subject }: Step, { situation, sale_id }: PurchaseDetails): string {
  if (kind === "approved" && sale_id === null) return "Aprovada na hora: compra simulada";
  if (kind === "reversed" && situation === "withdrawn") return "Cancelada por quem comprou";
  const words = kind === "chain_event" ? EVENTS[subject ?? ""] : SUBJECTS[subject ?? ""];
  return ownValue(KINDS, kind)?.(words ?? subject ?? "") ?? newWord(kind);
}

/** The history of a purchase, oldest first, from database and chain. */
export function PurchaseLife({ purchase }: { purchase: PurchaseDetails }) {
  const { dateTime, chz } = useFormat();
  return (
    <section aria-labelledby="life">
      <h3 id="life" className="card-title">
        Vida da compra
      </h3>
      <ol className="life">
        {purchase.steps.map((step) => (
          <li
            key={`${step.at} ${step.kind} ${step.subject} ${step.tx_hash}`}
            data-source={step.source}
            data-bad={step.kind === "reverted" || step.kind === "lost_nonce" || undefined}
          >
            <span>
              {sentenceOf(step, purchase)}
              {step.amount !== null && <strong className="figures"> · {chz(step.amount)}</strong>}
            </span>
            <time dateTime={step.at}>{dateTime(step.at)}</time>
            {step.tx_hash && (
              <Link to={paths.transaction(step.tx_hash)} className="link figures" title={step.tx_hash}>
                {step.tx_hash.slice(0, 10)}…{step.tx_hash.slice(-6)}
              </Link>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}
