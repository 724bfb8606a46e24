-- Where each order stands on its way to the service.
select * from {{ source('forestall', 'orders') }}
qualify row_number() over (
  partition by organisation_id, integration_id, order_reference order by changed_at desc, version desc
) = 1
