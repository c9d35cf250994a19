import { durationText } from "../../../core/rules/duration.ts";
import type { useFormat } from "../../i18n/use-format.ts";
import { type CodeOf, decimalText, panelLanguage, t, textOf } from "../texts.ts";

type Setting = CodeOf<"setting">;

const OF_KEYS = (["OPERATOR", "MINTER", "CONFIRMER", "PAYER"] as const).flatMap((key) =>
  (["ADDRESS", "KEY_FILE", "PRIVATE_KEY", "SIGNER_URL"] as const).map((what) => `${key}_${what}` as const),
);

/** The variables of the api, by what they are about, in the order of the tab. Each has a text `setting.NAME`. */
export const SETTING_GROUPS = {
  team: ["ADMIN_WALLETS", "APPROVAL_ABOVE_CHZ", "BOOST_APPROVAL_ABOVE_PERCENT", "AUTH_MODE", "SERVICE_TOKENS"],
  payments: [
    "BONUS_PROGRAM",
    "BOOST_MAX_PERCENT",
    "INVITE_BONUS_PERCENT",
    "HOLD_SECONDS",
    "MINT_DELAY_SECONDS",
    "PAYOUTS_PAUSED",
    "PAYOUT_CONFIRMATIONS",
    "CONFIRMATIONS",
    "LOW_BALANCE_CHZ",
    "WEI_PER_CENT",
    "RATE_URL",
    "RATE_REFRESH_SECONDS",
    "RATE_MAX_AGE_SECONDS",
    "RATE_MAX_JUMP_PERCENT",
  ],
  sales: [
    "AFFILIATE_ACCOUNTS",
    "AFFILIATE_CLOSED_ACCOUNTS",
    "AFFILIATE_SECRETS",
    "CASHBACK_SHARE_PERCENT",
    "MARGIN_LOSS_REAIS",
    "SALE_MAX_REAIS",
    "SALES_PER_DAY_MAX",
    "SALE_MIN_SECONDS",
    "SALE_OVERDUE_DAYS",
    "SALE_REF_KEY",
    "SALE_REF_KEYS",
    "CLAIM_AFTER_DAYS",
    "FX_RATES",
    "FX_URL",
  ],
  simulated: [
    "SIMULATED_PURCHASES",
    "SIMULATED_MAX_REAIS",
    "SIMULATED_DAILY_MAX_REAIS",
    "SIMULATED_TOTAL_DAILY_REAIS",
    "SIMULATED_STEP_DELAY_MS",
  ],
  chain: [
    "NETWORK",
    "CHAIN_ID",
    "CHAIN_PORT",
    "RPC_URLS",
    "RPC_PLAINTEXT",
    "ONE_NODE",
    "NODE_CALLS_PER_SECOND",
    "START_BLOCK",
    "PURCHASE_NFT_ADDRESS",
    "FORMER_PURCHASE_NFT_ADDRESSES",
    "CASHBACK_DISTRIBUTOR_ADDRESS",
    "FORMER_DISTRIBUTOR_ADDRESSES",
    "BATCH_SIZE",
    "BATCH_AGE_MS",
    "FEE_BUMP_AFTER_MS",
    "MAX_FEE_GWEI",
    "RECONCILE_INTERVAL_SECONDS",
    "RECONCILE_CALLS",
  ],
  wallets: ["SENDER_KEYS", ...OF_KEYS],
  mail: ["SMTP_URL", "MAIL_FROM", "VAPID_KEY_FILE", "VAPID_SUBJECT", "SUPPORT_CONTACT", "NOTIFY_URL", "NOTIFY_SECRET"],
  server: [
    "PUBLIC_URL",
    "HOST",
    "PORT",
    "METRICS_PORT",
    "CORS_ORIGINS",
    "TRUST_PROXY",
    "RATE_LIMIT_SCALE",
    "DRAIN_SECONDS",
    "LOG_LEVEL",
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "OTEL_TRACES_SAMPLER_ARG",
    "DATABASE_URL",
    "DATABASE_READ_URL",
    "DATA_DIR",
    "ERASED_FILE",
    "WEB_DIR",
    "ASSETS_URL",
    "VITE_ANALYTICS_URL",
    "VITE_WALLETCONNECT_PROJECT_ID",
  ],
} as const satisfies Record<Exclude<CodeOf<"settingGroup">, "others">, readonly Setting[]>;

const BLOCKS = new Set(["CONFIRMATIONS", "PAYOUT_CONFIRMATIONS"]);

type Format = Pick<ReturnType<typeof useFormat>, "number" | "brl" | "percent">;

/** A value with its unit, or in words; undefined for a text of the server's own, such as an address. */
export function settingFigure(name: string, value: string, format: Format): string | undefined {
  const word = textOf(`settingValue.${name}`, value === "" ? "all" : value);
  if (word !== undefined) return word;
  if (value === "true" || value === "false") return value === "true" ? t("yes") : t("no");
  if (name === "FX_RATES") return value.split(/, ?/).map(rateText).join(" · ");
  if (!/^\d+(\.\d+)?$/.test(value)) return undefined;
  if (name.endsWith("_SECONDS")) return durationText(Number(value), panelLanguage());
  if (name.endsWith("_MS")) return t("settingUnit.seconds", { value: format.number(Number(value) / 1_000) });
  if (name.endsWith("_CHZ")) return `${format.number(value)} CHZ`;
  if (name.endsWith("_REAIS")) return format.brl(value);
  if (name.endsWith("_PERCENT")) return format.percent(value);
  if (name.endsWith("_DAYS")) return t("settingUnit.days", { count: Number(value), value: format.number(value) });
  if (name.endsWith("_GWEI")) return `${format.number(value)} gwei`;
  if (BLOCKS.has(name)) return t("settingUnit.blocks", { count: Number(value), value: format.number(value) });
  return name === "WEI_PER_CENT" ? t("settingUnit.weiPerCent", { value: format.number(value) }) : undefined;
}

/** "1 USD = R$ 5,4321" of "USD:5.4321" */
function rateText(rate: string): string {
  const [currency = "", price = ""] = rate.split(":");
  return t("settingUnit.rate", { currency, price: decimalText(price, price.split(".")[1]?.length ?? 0) });
}
