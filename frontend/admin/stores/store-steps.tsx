import { type ReactNode, useEffect, useRef } from "react";
import { Link } from "react-router";
import { paths } from "../../app/paths.ts";
import { StateBadge } from "../badge.tsx";
import { PermittedButton } from "../decisions/permissions.tsx";
import { STORE_LACKS, STORE_WORDS, wordOf } from "../words.ts";
import { NEEDED, type StoreStep } from "./steps.ts";

const WORDS: Record<StoreStep, string> = {
  rate: STORE_LACKS.rate ?? "",
  link: STORE_LACKS.link ?? "",
  advertiser: "Falta o código do anunciante na rede: sem ele, as vendas não são ligadas à loja.",
  click: "O link não leva o código da visita: ponha {click} nele, ou nenhuma venda é reconhecida.",
  groups: "Falta dizer de que grupo da rede é cada categoria, ou qual é a padrão.",
  logo: "Falta o logo: no lugar dele aparece a primeira letra.",
  test: "Falta seguir o link uma vez, para ver se chega à página certa.",
  chain_name: STORE_LACKS.chain_name ?? "",
};

type StoreStepsProps = {
  storeId: string;
  steps: readonly StoreStep[];
  /** Whether it shows on the site. */
  isReady: boolean;
  /** Where a step is done; undefined where it happens by itself. */
  actionOf: (step: StoreStep) => ReactNode;
};

/** Draft or ready, and what is left until a shopper earns there: a list that shrinks. docs/product.md#store-draft */
export function StoreSteps({ storeId, steps, isReady, actionOf }: StoreStepsProps) {
  const section = useRef<HTMLElement>(null);
  const { length } = steps;
  const before = useRef(length);
  useEffect(() => {
    // The button of the step that is done had the focus, and is gone.
    if (length < before.current && document.activeElement === document.body) section.current?.focus();
    before.current = length;
  }, [length]);
  return (
    <section ref={section} tabIndex={-1} className="state-summary" aria-label="O que falta">
      <div className="store-state">
        <StateBadge {...wordOf(STORE_WORDS, isReady ? "ready" : "draft")} />
        <p role="status">{headline(steps, isReady)}</p>
        {isReady && (
          <Link className="link" to={paths.store(storeId)}>
            Ver no site
          </Link>
        )}
      </div>
      {length > 0 && (
        <ol className="store-steps">
          {steps.map((step) => (
            <li key={step}>
              <span>
                {WORDS[step]}
                {NEEDED.has(step) && step !== "chain_name" && <span className="row-note">Sem isto ela não rende.</span>}
              </span>
              {actionOf(step)}
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

function headline(steps: readonly StoreStep[], isReady: boolean): string {
  const { length } = steps;
  const left = length === 1 ? "falta 1 passo" : `faltam ${length} passos`;
  if (!isReady) return `Só o painel a mostra: ${left} para o torcedor ganhar aqui.`;
  return length === 0 ? "Aparece no site, e vende." : `Aparece no site, e vende; ${left}.`;
}

type StepButtonProps = { what: string; isNext: boolean; onClick: () => void };

export function StepButton({ what, isNext, onClick }: StepButtonProps) {
  return (
    <PermittedButton
      permission="catalogue"
      className={isNext ? "button button-small" : "button button-small button-quiet"}
      onClick={onClick}
    >
      Preencher<span className="sr-only"> – {what}</span>
    </PermittedButton>
  );
}
