import type { z } from "zod";
import type { Approval } from "../../core/rules/api/admin-approvals.ts";
import type { AdminStore, testClickResponseSchema } from "../../core/rules/api/admin-catalogue.ts";
import type { configurationResponseSchema, figuresResponseSchema } from "../../core/rules/api/admin-figures.ts";
import type { networksResponseSchema } from "../../core/rules/api/admin-networks.ts";
import type { AdminUser, adminUserResponseSchema } from "../../core/rules/api/admin-people.ts";
import type { AdminPurchase, adminPurchaseResponseSchema, Payment } from "../../core/rules/api/admin-purchases.ts";
import type { Store } from "../../core/rules/api/catalogue.ts";
import type {
  adminClaimSchema,
  marginResponseSchema,
  saleResponseSchema,
  saleSchema,
} from "../../core/rules/api/sales.ts";

/** The panel's names for the shapes of its calls. */
export type Purchase = AdminPurchase;
export type PurchaseDetails = z.infer<typeof adminPurchaseResponseSchema>["purchase"];
export type { AdminUser, Approval, Payment };
export type Sale = z.infer<typeof saleSchema>;
export type SaleDetails = z.infer<typeof saleResponseSchema>["sale"];
export type Claim = z.infer<typeof adminClaimSchema>;
export type Networks = z.infer<typeof networksResponseSchema>;
export type Margin = z.infer<typeof marginResponseSchema>;
export type UserDetails = z.infer<typeof adminUserResponseSchema>["user"];
export type StoreWithCategories = Store;
export type ListedStore = AdminStore;
export type Conversion = AdminStore["conversion"];
export type Figures = z.infer<typeof figuresResponseSchema>["data"];
export type Period = Figures["today"];
export type Day = Figures["days"][number];
export type Configuration = z.infer<typeof configurationResponseSchema>["settings"];
export type TestClick = z.infer<typeof testClickResponseSchema>;
