-- The stream of events.
select * from {{ source('forestall', 'events') }}
