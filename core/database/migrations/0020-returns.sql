-- When a sale that was declined is decided again, so that its tickets say that their return is final. Adds only: 1.0.0 works on
-- beside it. docs/product.md#return-final

-- Milliseconds. 0: not known yet, as of a sale that 1.0.0 declined; -1: none of its tickets has to say so any more.
alter table sales add column return_due_at integer not null default 0;
create index sales_return_due on sales (return_due_at) where state = 'declined' and return_due_at >= 0;
