-- Each movement of money as it stands.
select * from {{ source('forestall', 'refunds') }}
qualify row_number() over (
  partition by organisation_id, movement_id order by changed_at desc, version desc
) = 1
