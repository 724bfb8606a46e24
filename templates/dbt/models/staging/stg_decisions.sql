-- Each decision; of observe mode too.
select * from {{ source('forestall', 'decisions') }}
