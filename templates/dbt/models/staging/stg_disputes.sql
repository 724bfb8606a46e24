-- Each dispute of the service as it stands.
select * from {{ source('forestall', 'disputes') }}
qualify row_number() over (
  partition by organisation_id, dispute_id order by changed_at desc
) = 1
