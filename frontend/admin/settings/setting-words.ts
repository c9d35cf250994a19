import { durationText } from "../../../domain/duration.ts";
import { ownValue } from "../../../domain/records.ts";
import type { useFormat } from "../../i18n/use-format.ts";

const KEYS: readonly (readonly [prefix: string, whose: string])[] = [
  ["OPERATOR", "do operador"],
  ["MINTER", "do emissor"],
  ["CONFIRMER", "do confirmador"],
  ["PAYER", "do pagador"],
];
const OF_KEYS = KEYS.flatMap(([prefix, whose]) => [
  [`${prefix}_ADDRESS`, `Endereço da carteira ${whose}`],
  [`${prefix}_KEY_FILE`, `Arquivo da chave ${whose}`],
  [`${prefix}_PRIVATE_KEY`, `Chave ${whose}`],
  [`${prefix}_SIGNER_URL`, `Serviço que assina pela carteira ${whose}`],
]);

/** What each variable of the api means, in the panel's words. */
export const SETTING_WORDS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(OF_KEYS),
  ADMIN_WALLETS: "Carteiras da equipe e seus papéis",
  AFFILIATE_ACCOUNTS: "Contas nas redes de afiliados",
  AFFILIATE_SECRETS: "Segredos dos avisos de venda",
  APPROVAL_ABOVE_CHZ: "Quanto uma pessoa libera sozinha por dia",
  ASSETS_URL: "Onde as imagens ficam guardadas",
  AUTH_MODE: "Modo de login",
  BATCH_AGE_MS: "Espera para juntar transações",
  BATCH_SIZE: "Pedidos por transação, no máximo",
  BOOST_APPROVAL_ABOVE_PERCENT: "Percentual de cashback que uma pessoa define sozinha, no máximo",
  BOOST_MAX_PERCENT: "Percentual de um cashback turbinado, no máximo",
  BONUS_PROGRAM: "Programa de bônus",
  CASHBACK_DISTRIBUTOR_ADDRESS: "Contrato que paga o cashback",
  CHAIN_ID: "Número da rede Chiliz",
  CHAIN_PORT: "Porta da rede local",
  CLAIM_AFTER_DAYS: "Dias até um comprador poder reclamar",
  CONFIRMATIONS: "Blocos até um ingresso valer como emitido",
  CORS_ORIGINS: "Outros sites que podem chamar a API",
  DATABASE_URL: "Banco de dados",
  DATA_DIR: "Pasta de dados",
  DRAIN_SECONDS: "Espera até o servidor se despedir, para o balanceador desviar as chamadas",
  ERASED_FILE: "Lista de perfis apagados e e-mails encerrados",
  FEE_BUMP_AFTER_MS: "Espera até aumentar a taxa de uma transação",
  FORMER_DISTRIBUTOR_ADDRESSES: "Contratos de pagamento anteriores",
  FX_RATES: "Cotações fixas de outras moedas",
  FX_URL: "Fonte das cotações de outras moedas",
  HOLD_SECONDS: "Prazo de segurança do cashback",
  HOST: "Endereço em que o servidor atende",
  LOG_LEVEL: "Detalhe dos registros do servidor",
  LOW_BALANCE_CHZ: "Saldo que avisa que falta CHZ",
  MAIL_FROM: "Remetente dos e-mails",
  MAX_FEE_GWEI: "Taxa máxima por transação",
  METRICS_PORT: "Porta das métricas",
  MINT_DELAY_SECONDS: "Espera antes do ingresso",
  NETWORK: "Rede Chiliz",
  NOTIFY_SECRET: "Segredo dos avisos à equipe",
  NOTIFY_URL: "Para onde vão os avisos à equipe",
  PAYOUTS_PAUSED: "Pagamentos pausados pelo servidor",
  PAYOUT_CONFIRMATIONS: "Blocos até um cashback poder ser pago",
  PORT: "Porta do servidor",
  PUBLIC_URL: "Endereço público do site",
  PURCHASE_NFT_ADDRESS: "Contrato dos ingressos",
  RATE_LIMIT_SCALE: "Fator dos limites de chamadas",
  RATE_MAX_AGE_SECONDS: "Idade máxima da cotação do CHZ",
  RATE_MAX_JUMP_PERCENT: "Salto máximo da cotação do CHZ",
  RATE_REFRESH_SECONDS: "Intervalo da cotação do CHZ",
  RATE_URL: "Fonte da cotação do CHZ",
  RECONCILE_CALLS: "Consultas por conferência com a rede, no máximo",
  RECONCILE_INTERVAL_SECONDS: "Intervalo entre conferências com a rede",
  RPC_URLS: "Nós da rede Chiliz",
  SALES_PER_DAY_MAX: "Vendas por comprador e dia antes de reter",
  SALE_MAX_REAIS: "Valor de venda que retém",
  SALE_MIN_SECONDS: "Tempo mínimo entre o clique e a venda",
  SALE_OVERDUE_DAYS: "Dias que uma venda espera a rede antes de virar tarefa",
  SALE_REF_KEY: "Chave que liga ingressos às suas vendas",
  SALE_REF_KEYS: "Chaves anteriores dessa ligação",
  SENDER_KEYS: "Carteiras pelas quais este servidor assina",
  SERVICE_TOKENS: "Senhas de serviços",
  SIMULATED_DAILY_MAX_REAIS: "Compras simuladas de uma carteira por dia, no máximo",
  SIMULATED_MAX_REAIS: "Valor máximo de uma compra simulada",
  SIMULATED_PURCHASES: "Compras simuladas",
  SIMULATED_STEP_DELAY_MS: "Espera entre os passos simulados",
  SIMULATED_TOTAL_DAILY_REAIS: "Compras simuladas de todos por dia, no máximo",
  SMTP_URL: "Servidor de e-mail",
  START_BLOCK: "Primeiro bloco lido",
  SUPPORT_CONTACT: "Contato de atendimento",
  TRUST_PROXY: "Balanceadores de confiança",
  VITE_ANALYTICS_URL: "Endereço das estatísticas de visita",
  VITE_WALLETCONNECT_PROJECT_ID: "Projeto no WalletConnect",
  WEB_DIR: "Pasta do site",
  WEI_PER_CENT: "Cotação fixa do CHZ",
};

const BLOCKS = new Set(["CONFIRMATIONS", "PAYOUT_CONFIRMATIONS"]);

/** What a value that is a word of the server means. */
const VALUE_WORDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  AUTH_MODE: { strict: "só com desafio de uso único", compat: "aceita também a assinatura simples" },
  BONUS_PROGRAM: { club: "pelo Fan Token do clube do coração", tiers: "por faixas de saldo" },
  LOG_LEVEL: {
    trace: "tudo, cada passo",
    debug: "tudo, também detalhes",
    info: "o que acontece",
    warn: "só avisos e erros",
    error: "só erros",
    fatal: "só o que encerra o servidor",
    silent: "nada",
  },
  SENDER_KEYS: { "": "todas", none: "nenhuma" },
};

type Format = Pick<ReturnType<typeof useFormat>, "number" | "brl" | "percent">;

/** A value with its unit, or in words; undefined for a text of the server's own, such as an address. */
export function settingFigure(name: string, value: string, format: Format): string | undefined {
  const word = ownValue(VALUE_WORDS[name] ?? {}, value);
  if (word !== undefined) return word;
  if (value === "true" || value === "false") return value === "true" ? "sim" : "não";
  if (!/^\d+(\.\d+)?$/.test(value)) return undefined;
  if (name.endsWith("_SECONDS")) return durationText(Number(value), "pt");
  if (name.endsWith("_MS")) return `${format.number(Number(value) / 1_000)} s`;
  if (name.endsWith("_CHZ")) return `${format.number(value)} CHZ`;
  if (name.endsWith("_REAIS")) return format.brl(value);
  if (name.endsWith("_PERCENT")) return format.percent(value);
  if (name.endsWith("_DAYS")) return `${format.number(value)} ${value === "1" ? "dia" : "dias"}`;
  if (name.endsWith("_GWEI")) return `${format.number(value)} gwei`;
  if (BLOCKS.has(name)) return `${format.number(value)} ${value === "1" ? "bloco" : "blocos"}`;
  if (name === "WEI_PER_CENT") return `${format.number(value)} wei por centavo`;
  return undefined;
}
