import type { z } from "zod";
import type { Approval as AnsweredApproval } from "../../core/rules/api/admin-approvals.ts";
import type {
  AdminStore,
  CatalogueChange as AnsweredChange,
  testClickResponseSchema,
} from "../../core/rules/api/admin-catalogue.ts";
import type {
  Attention as AnsweredAttention,
  configurationResponseSchema,
  figuresResponseSchema,
} from "../../core/rules/api/admin-figures.ts";
import type { networksResponseSchema } from "../../core/rules/api/admin-networks.ts";
import type { AdminUser as AnsweredUser, adminUserResponseSchema } from "../../core/rules/api/admin-people.ts";
import type {
  AdminPurchase,
  Payment as AnsweredPayment,
  adminPurchaseResponseSchema,
} from "../../core/rules/api/admin-purchases.ts";
import type { Overview as AnsweredOverview } from "../../core/rules/api/administration.ts";
import type { BoostRow as AnsweredBoost, PercentApproval as AnsweredPercent } from "../../core/rules/api/boosts.ts";
import type { StaffStore } from "../../core/rules/api/catalogue.ts";
import type { AdminOffer } from "../../core/rules/api/offers.ts";
import type { OperationRecord as AnsweredOperation } from "../../core/rules/api/operations.ts";
import type { ProposalRow as AnsweredProposal } from "../../core/rules/api/proposals.ts";
import type {
  Preview as AnsweredPreview,
  adminClaimSchema,
  marginResponseSchema,
  saleResponseSchema,
  saleSchema,
} from "../../core/rules/api/sales.ts";
import type { SuggestedStore as AnsweredSuggestion } from "../../core/rules/api/suggested-stores.ts";
import type { Heard } from "../api/heard.ts";

/** The panel's names for the shapes of its calls. */
export type Purchase = Heard<AdminPurchase>;
export type PurchaseDetails = Heard<z.infer<typeof adminPurchaseResponseSchema>["purchase"]>;
export type AdminUser = Heard<AnsweredUser>;
export type Approval = Heard<AnsweredApproval>;
export type Payment = Heard<AnsweredPayment>;
export type Sale = Heard<z.infer<typeof saleSchema>>;
export type SaleDetails = Heard<z.infer<typeof saleResponseSchema>["sale"]>;
export type Claim = Heard<z.infer<typeof adminClaimSchema>>;
export type Networks = Heard<z.infer<typeof networksResponseSchema>>;
export type Margin = Heard<z.infer<typeof marginResponseSchema>>;
export type UserDetails = Heard<z.infer<typeof adminUserResponseSchema>["user"]>;
export type StoreWithCategories = Heard<StaffStore>;
export type SuggestedStore = Heard<AnsweredSuggestion>;
export type ListedStore = Heard<AdminStore>;
export type Conversion = ListedStore["conversion"];
export type Figures = Heard<z.infer<typeof figuresResponseSchema>["data"]>;
export type Period = Figures["today"];
export type Day = Figures["days"][number];
export type Configuration = Heard<z.infer<typeof configurationResponseSchema>["settings"]>;
export type TestClick = Heard<z.infer<typeof testClickResponseSchema>>;
export type Attention = Heard<AnsweredAttention>;
export type Overview = Heard<AnsweredOverview>;
export type CatalogueChange = Heard<AnsweredChange>;
export type BoostRow = Heard<AnsweredBoost>;
export type OfferRow = Heard<AdminOffer>;
export type PercentApproval = Heard<AnsweredPercent>;
export type ProposalRow = Heard<AnsweredProposal>;
export type OperationRecord = Heard<AnsweredOperation>;
export type Preview = Heard<AnsweredPreview>;
