-- Which trace asked for what is queued, and for a sale to be read. Adds only: 1.0.0 works on beside it.
-- docs/operations.md#traces

-- A W3C `traceparent`; null where OpenTelemetry is not configured.
alter table operations add column traceparent text;
alter table sale_hints add column traceparent text;
