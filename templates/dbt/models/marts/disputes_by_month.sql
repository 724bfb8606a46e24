-- Disputes by the UTC month in which they were first heard of, and by how they stand now.
select
  organisation_id,
  cast(date_trunc('month', first_seen_at at time zone 'UTC') as date) as month,
  outcome,
  currency,
  count(*) as disputes,
  coalesce(sum(amount_minor), 0) as amount_minor
from {{ ref('stg_disputes') }}
group by 1, 2, 3, 4
