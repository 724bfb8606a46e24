-- What came of alerts, by the UTC day: received on the day on which they came, the rest on the day on which they ended, a missed
-- one on the day of its deadline. Claims for a refund are no alerts. The console's page of figures counts the same.
with counted as (
  select organisation_id, currency, amount_minor, 'received' as outcome, opened_at as counted_at
  from {{ ref('stg_alerts') }}
  where not is_claim
  union all
  select organisation_id, currency, amount_minor, outcome,
    case when outcome = 'missed' then missed_at else closed_at end
  from {{ ref('stg_alerts') }}
  where not is_claim and outcome is not null
)
select
  organisation_id,
  cast(counted_at at time zone 'UTC' as date) as day,
  outcome,
  currency,
  count(*) as alerts,
  coalesce(sum(amount_minor), 0) as amount_minor
from counted
group by 1, 2, 3, 4
