-- Raises the wall between organisations: with it, a connection sees the rows of the organisation it names, and none
-- where it names none. Optional; run by a superuser in Forestall's database (by the owner of the tables too, but then
-- searches by e-mail address and the like are slow behind it: src/base/db/README.md), after
-- roles.sql and once every process runs a version that names its organisation (0.2.0 does), and again after each
-- upgrade. Nothing stops meanwhile: one table after another is locked for a moment.
--
-- It holds for members of forestall_app and forestall_console. Whoever connects as a superuser, or as the owner of
-- the tables, passes it: "forestall doctor" says so.
--
-- Where FORESTALL_DATABASE_SCHEMA names another schema: psql -c "set forestall.schema = 'name'" -f wall.sql
--
-- To take it down, before a version is started that knows nothing of it: call forestall.wall_organisations(false);

select set_config('search_path', format('%I, pg_temp', coalesce(nullif(current_setting('forestall.schema', true), ''), 'forestall')), false);
call wall_organisations(true);
reset search_path;
