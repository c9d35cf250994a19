-- The rate (wei per centavo) that was applied in the transaction of a payment; null: read by 1.0.0, or no payment. Beside
-- its arguments, which 1.0.0 compares with the chain. docs/product.md#sale-ref
alter table chain_events add column wei_per_cent integer;
