-- Each alert and claim as it stands: of the files of several days the last one holds.
select * from {{ source('forestall', 'alerts') }}
qualify row_number() over (
  partition by organisation_id, alert_id order by changed_at desc, version desc
) = 1
