-- By which a pasted link's store is known, with commas between them, `short:` before one of shortened links. Adds only:
-- 1.0.0 works on beside it. docs/product.md#links
alter table stores add column domains text;
