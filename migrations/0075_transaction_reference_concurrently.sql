-- The order that carries a transaction is found by the transaction's reference alone: asked with every refund that is confirmed. The key
-- names the integration first, so that PostgreSQL before 18 read all references of the organisation. Plain SQL, never edited once released.

drop index concurrently if exists @schema@.order_nested_reference_of_transaction;
create index concurrently order_nested_reference_of_transaction on @schema@.order_nested_reference (organisation_id, reference)
  where kind = 'transaction';
