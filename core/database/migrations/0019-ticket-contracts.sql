-- Which contract minted a ticket, once one continues another. Adds only: 1.0.0 works on beside it.
-- docs/upgrading.md#another-pair

-- Null: the first one.
alter table nfts add column contract text; -- : WalletAddress
