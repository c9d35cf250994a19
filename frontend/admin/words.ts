import { OTHER_LANGUAGES, type OtherLanguage, type Translations } from "../../core/rules/languages.ts";
import type { PauseCause } from "../../core/rules/pause-cause.ts";
import type { PurchaseState, Wait } from "../../core/rules/purchase/states.ts";
import { ownValue } from "../../core/rules/records.ts";
import type { Role } from "../../core/rules/roles.ts";
import type { SaleState } from "../../core/rules/sale/state.ts";
import { saoPauloText } from "../../core/rules/sao-paulo-time.ts";
import type { Heard } from "../api/heard.ts";
import type { StoreFields } from "./admin-calls.ts";
import type { Purchase } from "./shapes.ts";

/** The panel's words for codes. The tone colours a badge; the word carries the meaning. */
export type Tone = "good" | "wait" | "bad" | "plain";
export type Word = { label: string; tone: Tone };
type Words<Code extends string = string> = Record<Code, Word>;

const word = (label: string, tone: Tone): Word => ({ label, tone });

export const PURCHASE_WORDS: Words<PurchaseState> = {
  held: word("Retida", "bad"),
  processing: word("Em processamento", "wait"),
  pending: word("Pendente", "wait"),
  confirmed: word("Confirmada, a pagar", "wait"),
  paid: word("Paga", "good"),
  settled: word("Quitada", "good"),
  cancelled: word("Cancelada", "plain"),
};

export const PAYMENT_WORDS: Words = {
  waiting: word("Esperando", "wait"),
  failed: word("Falhou", "bad"),
  queued: word("Na fila", "plain"),
  assigned: word("Em envio", "wait"),
  done: word("Enviado", "good"),
  withdrawn: word("Retirado", "plain"),
};

export const SALE_WORDS: Words<SaleState> = {
  held: word("Retida", "bad"),
  unmatched: word("Sem comprador", "wait"),
  open: word("Em análise", "wait"),
  approved: word("Aprovada", "wait"),
  payable: word("A pagar", "wait"),
  settled: word("Quitada", "good"),
  declined: word("Recusada", "plain"),
};

export const CLAIM_WORDS: Words = {
  open: word("Aberta", "wait"),
  matched: word("Resolvida", "good"),
  refused: word("Recusada", "plain"),
};

export const APPROVAL_WORDS: Words = {
  open: word("Espera aprovação", "wait"),
  approved: word("Aprovado", "wait"),
  used: word("Aprovado e na fila", "good"),
  refused: word("Recusado", "bad"),
  renewed: word("Recusado, decidido de novo", "plain"),
  lapsed: word("Não vale mais", "plain"),
};

export const BOOST_WORDS: Words = {
  waiting: word("Espera aprovação", "wait"),
  planned: word("Planejado", "wait"),
  running: word("Valendo", "good"),
  over: word("Terminou", "plain"),
  refused: word("Recusado", "bad"),
  withdrawn: word("Retirado", "plain"),
};

export const SALE_STATUS_WORDS: Record<string, string> = {
  pending: "pendente",
  approved: "aprovada",
  declined: "recusada",
  unknown: "desconhecida",
};

/** A word that a later server answers, and this build does not know. */
export const newWord = (code: string): string => `${code} (palavra nova: atualize a página)`;

export const wordOf = (words: Words, code: string): Word =>
  ownValue(words, code) ?? { label: newWord(code), tone: "plain" };

export const optionsOf = (words: Words) => Object.entries(words).map(([value, { label }]) => ({ value, label }));

/** Why an operation waits or failed, and what to do about it. `OperationReason`. */
export const OPERATION_REASONS: Record<string, { why: string; help: string }> = {
  day_cap: {
    why: "Passa do que resta do limite diário do distribuidor.",
    help: "Segue sozinho quando o limite do dia abrir. Para pagar antes, aumente o limite diário no contrato.",
  },
  max_payout: {
    why: "Passa do limite por pagamento do distribuidor.",
    help: "Aumente o limite por pagamento no contrato; depois segue sozinho.",
  },
  pool_empty: {
    why: "O distribuidor tem CHZ de menos.",
    help: "Envie CHZ para o endereço do distribuidor; o pagamento segue sozinho.",
  },
  rate_too_high: {
    why: "A cotação desta compra passa do teto do distribuidor.",
    help: "Confira a cotação e o teto no contrato.",
  },
  retired: {
    why: "Este distribuidor foi aposentado: outro contrato paga no lugar dele.",
    help: "Segue sozinho quando o servidor conhecer o distribuidor novo.",
  },
  paused: { why: "O contrato está pausado.", help: "Segue sozinho quando o contrato for retomado." },
  role_missing: {
    why: "A carteira do operador não tem o papel que o contrato exige.",
    help: "Dê o papel à carteira do operador no contrato; depois segue sozinho.",
  },
  not_ready: { why: "O ingresso ainda não está no estado de onde este passo parte.", help: "Segue sozinho." },
  store_unknown: {
    why: "A rede ainda não conhece o nome da loja.",
    help: "O nome é gravado antes; depois segue sozinho.",
  },
  reverted: { why: "A transação foi revertida pela rede.", help: "Veja o detalhe técnico; depois tente de novo." },
  refused: { why: "O contrato recusou.", help: "Veja o detalhe técnico; depois tente de novo." },
  invalid: { why: "O contrato nunca vai aceitar isto.", help: "Precisa de alguém que conheça o contrato." },
};

export const operationWhy = (reason: string | null): string | undefined =>
  reason === null ? undefined : (OPERATION_REASONS[reason]?.why ?? `Motivo ${reason}.`);

/** What a limit allows, by the reason that it is. */
const LIMITS: Record<string, (chz: string) => string> = {
  max_payout: (chz) => `O limite por pagamento é de ${chz}.`,
  day_cap: (chz) => `Hoje ainda podem sair ${chz}.`,
  pool_empty: (chz) => `O distribuidor tem ${chz}.`,
  rate_too_high: (chz) => `O teto é de ${chz} por R$ 1,00.`,
};

/** The limit that an operation waits for, with its figure; undefined if it waits for none. */
export const limitWords = (reason: string | null, limit: string | null, chz: (amount: string) => string) =>
  limit === null ? undefined : LIMITS[reason ?? ""]?.(chz(limit));

/** `kind` of an operation. */
export const OPERATION_KINDS: Record<string, string> = {
  mint: "Emitir o ingresso",
  confirm: "Confirmar o ingresso",
  cancel: "Cancelar o ingresso",
  pay: "Pagar o cashback",
  register_store: "Gravar o nome da loja",
  rename_store: "Trocar o nome da loja",
};

/** What a purchase waits for. */
export function purchaseWait(
  purchase: Pick<Purchase, "waits_for" | "waits_detail" | "wait_reason">,
): string | undefined {
  const { waits_for: wait, waits_detail: detail, wait_reason: reason } = purchase;
  if (wait === null) return undefined;
  if (detail === "credit_used") return "A conta da loja usou o seu crédito: espera o dinheiro dela chegar.";
  if (detail === "unusual_day") return "A conta da loja passou dez vezes do seu dia normal: espera alguém conferir.";
  if (wait === "set_aside" || wait === "person") return operationWhy(reason) ?? "O próximo passo parou.";
  return ownValue(WAITS, wait) ?? newWord(wait);
}

const WAITS: Record<Exclude<Wait, "set_aside" | "person">, string> = {
  release: "Foi retida no painel: espera alguém liberar.",
  sale_release: "A venda está retida: espera alguém liberar.",
  simulated: "Foi simulada antes das vendas de verdade: não é paga.",
  second_person: "Espera outra pessoa aprovar o pagamento.",
  second_decision: "Outra pessoa recusou o pagamento: peça de novo, ou recuse a venda.",
  approval: "A rede de afiliados ainda não aprovou a venda.",
  network_payment: "A rede aprovou, mas ainda não disse que paga.",
  hold: "O prazo de segurança ainda não acabou.",
  depth: "A rede Chiliz ainda não confirmou fundo o bastante.",
  payouts_paused: "Os pagamentos estão pausados.",
  rate: "A cotação do CHZ não está disponível.",
  transaction: "A transação está na fila ou a caminho.",
  planning: "O próximo passo começa em segundos.",
};

const KEY_OWNERS: Record<string, string> = {
  operator: "do operador",
  minter: "do emissor",
  confirmer: "do confirmador",
  payer: "do pagador",
};

/** Why payouts are paused, in words; a person's reason stays unchanged. */
export function pauseReason(reason: string | null, heard: Heard<PauseCause> | null): string {
  // One that this build does not know is told by the server's own sentence.
  const cause = heard as PauseCause | null;
  switch (cause?.code) {
    case "environment":
      return "a variável PAYOUTS_PAUSED está ligada no servidor";
    case "unsaid":
      return "alguém pausou sem dizer por quê";
    case "differences":
      return "o banco de dados e a rede não batem; veja npm run reconcile antes de retomar";
    case "lost_nonce":
      return `outro programa usou a chave ${KEY_OWNERS[cause.key] ?? cause.key} (transação nº ${cause.nonce}); veja se a chave vazou`;
    case "restored":
      return `o banco foi restaurado da cópia de ${saoPauloText(cause.created_at)}; o comando npm run restored diz o que fazer`;
    case "chain_ahead":
      return `a rede tem uma transação da chave ${KEY_OWNERS[cause.key] ?? cause.key} (nº ${cause.nonce}) que o banco não conhece; o comando npm run restored diz o que fazer`;
    case "moved_back":
      return "o banco voltou no tempo; o comando npm run restored diz o que fazer";
    case "recovered":
      return "o banco estava atrás da rede; retome quando npm run reconcile não achar diferença";
    default:
      return reason ?? "";
  }
}

export const NETWORK_WORDS: Record<string, string> = {
  awin: "Awin",
  admitad: "Admitad",
  impact: "impact.com",
  direct: "Direta",
};
export const networkName = (network: string): string => ownValue(NETWORK_WORDS, network) ?? network;

export const PERSON_WORDS: Words = {
  active: word("Ativo", "good"),
  erased: word("Apagado", "plain"),
};

export const STORE_WORDS: Words = {
  ready: word("Pronta", "good"),
  draft: word("Rascunho", "wait"),
};

const LANGUAGE_WORDS = new Intl.DisplayNames("pt-BR", { type: "language" });
/** "em inglês" */
export const inLanguage = (language: OtherLanguage): string => `em ${LANGUAGE_WORDS.of(language)}`;

const TEXT_WORDS = { country: "país", category: "categoria", description: "descrição", terms: "exclusões" };
const STORE_FIELD_WORDS: Record<Exclude<keyof StoreFields, keyof Translations<typeof TEXT_WORDS>>, string> = {
  ...TEXT_WORDS,
  name: "nome",
  club: "clube",
  logo: "logo",
  featured: "destaque",
  affiliate_link: "link de afiliado",
  network: "rede",
  account: "conta",
  advertiser_id: "anunciante",
  link_code: "código do link",
  merchant: "comerciante",
  store_url: "site da loja",
  domains: "outros sites",
  mint_delay_seconds: "espera antes do ingresso",
  hold_seconds: "prazo de segurança",
  claim_days: "dias para reclamar",
};

/** The fields of stores, categories, fan tokens, decisions and lists, in the middle of a sentence. */
export const FIELD_WORDS: Record<string, string> = {
  ...STORE_FIELD_WORDS,
  ...Object.fromEntries(
    OTHER_LANGUAGES.flatMap((one) =>
      Object.entries(TEXT_WORDS).map(([name, word]) => [`${name}_${one}`, `${word} ${inLanguage(one)}`]),
    ),
  ),
  cashback_percent: "percentual de cashback",
  is_default: "categoria padrão",
  slug: "slug",
  image: "imagem",
  symbol: "símbolo",
  contract: "contrato",
  group_code: "código do grupo",
  nickname: "apelido",
  reason: "motivo",
  sale_id: "número da venda",
  click_id: "código da visita",
  content: "arquivo",
  query: "busca",
  state: "situação",
  sort: "ordem",
  before: "página",
  from: "primeiro mês",
  to: "último mês",
};

export const capitalized = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** What a draft lacks, and where to enter it. */
export const STORE_LACKS: Record<string, string> = {
  link: "Falta o link de afiliado, ou a rede com conta e anunciante.",
  rate: "Falta uma categoria com percentual acima de zero.",
  chain_name: "O nome ainda está sendo gravado na rede Chiliz; acontece sozinho.",
};

export const ROLE_WORDS: Record<Role, string> = {
  owner: "dono",
  operator: "operação",
  catalogue: "catálogo",
  support: "atendimento",
  auditor: "auditoria",
};

/** "nov. de 2026" of `YYYY-MM`. */
export const monthName = (month: string): string =>
  new Intl.DateTimeFormat("pt-BR", { month: "short", year: "numeric", timeZone: "UTC" }).format(
    new Date(`${month}-01T00:00:00Z`),
  );

export const roleName = (role: string): string => ownValue(ROLE_WORDS, role) ?? newWord(role);
