-- Money that the merchant refunded, by the UTC day on which the processor confirmed it. What the network refunded is not in it.
select
  organisation_id,
  cast(confirmed_at at time zone 'UTC' as date) as day,
  currency,
  count(*) as refunds,
  sum(amount_minor) as amount_minor
from {{ ref('stg_refunds') }}
where is_ours and amount_minor > 0 and confirmed_at is not null
group by 1, 2, 3
