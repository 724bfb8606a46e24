-- What a person says of money names a reference that counts once, on whatever charge: one transaction at a time looks. People
-- say it in the console too. Where `roles.sql` is in use it may do so before that is run again.
do $$
begin
  if exists (select from pg_roles where rolname = 'forestall_console') then
    grant insert, update on organisation_lock to forestall_console;
  end if;
end $$;
