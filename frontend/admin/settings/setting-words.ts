import { durationText } from "../../../core/rules/duration.ts";
import { ownValue } from "../../../core/rules/records.ts";
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

/** What each variable of the api means, in the panel's words, and what it is about. */
export const SETTING_GROUPS: readonly (readonly [title: string, words: Readonly<Record<string, string>>])[] = [
  [
    "Equipe e acesso",
    {
      ADMIN_WALLETS: "Carteiras da equipe e seus papéis",
      APPROVAL_ABOVE_CHZ: "Quanto uma pessoa libera sozinha por dia",
      BOOST_APPROVAL_ABOVE_PERCENT: "Percentual de cashback que uma pessoa define sozinha, no máximo",
      AUTH_MODE: "Modo de login",
      SERVICE_TOKENS: "Senhas de serviços",
    },
  ],
  [
    "Cashback e pagamentos",
    {
      BONUS_PROGRAM: "Programa de bônus",
      BOOST_MAX_PERCENT: "Percentual de um cashback turbinado, no máximo",
      HOLD_SECONDS: "Prazo de segurança do cashback",
      MINT_DELAY_SECONDS: "Espera antes do ingresso",
      PAYOUTS_PAUSED: "Pagamentos pausados pelo servidor",
      PAYOUT_CONFIRMATIONS: "Blocos até um cashback poder ser pago",
      CONFIRMATIONS: "Blocos até um ingresso valer como emitido",
      LOW_BALANCE_CHZ: "Saldo que avisa que falta CHZ",
      WEI_PER_CENT: "Cotação fixa do CHZ",
      RATE_URL: "Fonte da cotação do CHZ",
      RATE_REFRESH_SECONDS: "Intervalo da cotação do CHZ",
      RATE_MAX_AGE_SECONDS: "Idade máxima da cotação do CHZ",
      RATE_MAX_JUMP_PERCENT: "Salto máximo da cotação do CHZ",
    },
  ],
  [
    "Vendas das redes",
    {
      AFFILIATE_ACCOUNTS: "Contas nas redes de afiliados",
      AFFILIATE_CLOSED_ACCOUNTS: "Contas encerradas de propósito; as vendas abertas delas ficam retidas",
      AFFILIATE_SECRETS: "Segredos dos avisos de venda",
      SALE_MAX_REAIS: "Valor de venda que retém",
      SALES_PER_DAY_MAX: "Vendas por comprador e dia antes de reter",
      SALE_MIN_SECONDS: "Tempo mínimo entre a visita e a venda",
      SALE_OVERDUE_DAYS: "Dias que uma venda espera a rede antes de virar tarefa",
      SALE_REF_KEY: "Chave que liga ingressos às suas vendas",
      SALE_REF_KEYS: "Chaves anteriores dessa ligação",
      CLAIM_AFTER_DAYS: "Dias até um comprador poder reclamar",
      FX_RATES: "Cotações fixas de outras moedas",
      FX_URL: "Fonte das cotações de outras moedas",
    },
  ],
  [
    "Compras simuladas",
    {
      SIMULATED_PURCHASES: "Compras simuladas",
      SIMULATED_MAX_REAIS: "Valor máximo de uma compra simulada",
      SIMULATED_DAILY_MAX_REAIS: "Compras simuladas de uma carteira por dia, no máximo",
      SIMULATED_TOTAL_DAILY_REAIS: "Compras simuladas de todos por dia, no máximo",
      SIMULATED_STEP_DELAY_MS: "Espera entre os passos simulados",
    },
  ],
  [
    "Rede Chiliz",
    {
      NETWORK: "Rede Chiliz",
      CHAIN_ID: "Número da rede Chiliz",
      CHAIN_PORT: "Porta da rede local",
      RPC_URLS: "Nós da rede Chiliz",
      RPC_PLAINTEXT: "Nós sem criptografia, por um túnel que criptografa",
      ONE_NODE: "Um só servidor diz o que está na rede Chiliz",
      NODE_CALLS_PER_SECOND: "Leituras de saldos de carteiras por segundo nos nós, no máximo",
      START_BLOCK: "Primeiro bloco lido",
      PURCHASE_NFT_ADDRESS: "Contrato dos ingressos",
      FORMER_PURCHASE_NFT_ADDRESSES: "Contratos de ingressos anteriores",
      CASHBACK_DISTRIBUTOR_ADDRESS: "Contrato que paga o cashback",
      FORMER_DISTRIBUTOR_ADDRESSES: "Contratos de pagamento anteriores",
      BATCH_SIZE: "Pedidos por transação, no máximo",
      BATCH_AGE_MS: "Espera para juntar transações",
      FEE_BUMP_AFTER_MS: "Espera até aumentar a taxa de uma transação",
      MAX_FEE_GWEI: "Taxa máxima por transação",
      RECONCILE_INTERVAL_SECONDS: "Intervalo entre conferências com a rede",
      RECONCILE_CALLS: "Consultas por conferência com a rede, no máximo",
    },
  ],
  [
    "Carteiras do servidor",
    {
      SENDER_KEYS: "Carteiras pelas quais este servidor assina",
      ...Object.fromEntries(OF_KEYS),
    },
  ],
  [
    "E-mails e avisos",
    {
      SMTP_URL: "Servidor de e-mail",
      MAIL_FROM: "Remetente dos e-mails",
      VAPID_KEY_FILE: "Chave das mensagens aos aparelhos",
      VAPID_SUBJECT: "Contato para os serviços de mensagens",
      SUPPORT_CONTACT: "Contato de atendimento",
      NOTIFY_URL: "Para onde vão os avisos à equipe",
      NOTIFY_SECRET: "Segredo dos avisos à equipe",
    },
  ],
  [
    "Servidor e site",
    {
      PUBLIC_URL: "Endereço público do site",
      HOST: "Endereço em que o servidor atende",
      PORT: "Porta do servidor",
      METRICS_PORT: "Porta das métricas",
      CORS_ORIGINS: "Outros sites que podem chamar a API",
      TRUST_PROXY: "Balanceadores de confiança",
      RATE_LIMIT_SCALE: "Fator dos limites de chamadas",
      DRAIN_SECONDS: "Espera até o servidor se despedir, para o balanceador desviar as chamadas",
      LOG_LEVEL: "Detalhe dos registros do servidor",
      DATABASE_URL: "Banco de dados",
      DATA_DIR: "Pasta de dados",
      ERASED_FILE: "Lista de perfis apagados e e-mails encerrados",
      WEB_DIR: "Pasta do site",
      ASSETS_URL: "Onde as imagens ficam guardadas",
      VITE_ANALYTICS_URL: "Endereço das estatísticas de visita",
      VITE_WALLETCONNECT_PROJECT_ID: "Projeto no WalletConnect",
    },
  ],
];

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
  if (name === "FX_RATES") return value.replaceAll(", ", " · ").replace(/([A-Z]{3}):(\d+)\.(\d+)/g, "1 $1 = R$$ $2,$3");
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
