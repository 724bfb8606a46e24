#!/bin/sh
# The database's users, with the least that each process needs. PostgreSQL's image runs this once, on an empty volume;
# on one that is there already:  docker compose exec postgres sh /docker-entrypoint-initdb.d/users.sh
# It can be repeated, and takes over passwords that have changed. What the roles may do is in roles.sql.
set -eu
secrets=${SECRETS:-/run/secrets}
database=${POSTGRES_DB:-forestall}

# The password in an address. It holds letters and digits only, so that nothing in it is written in another way.
password() {
  found=$(sed -n 's#^postgres://[^:]*:\([A-Za-z0-9]\{16,\}\)@.*#\1#p' "$secrets/$1")
  if [ -z "$found" ]; then
    echo "$1 has no password of 16 or more letters and digits" >&2
    exit 1
  fi
  printf %s "$found"
}

migrate=$(password migrate_url)
serve=$(password serve_url)
work=$(password work_url)
console=$(password console_url)

psql --no-psqlrc --quiet --set ON_ERROR_STOP=1 --username "${POSTGRES_USER:-postgres}" --dbname "$database" \
  --set database="$database" --set migrate="$migrate" --set serve="$serve" --set work="$work" --set console="$console" <<'SQL'
set client_min_messages = warning;
select format('create role %I nologin', name)
from unnest(array['forestall_owner', 'forestall_app', 'forestall_console']) as name
where not exists (select from pg_roles where rolname = name) \gexec

-- Each process has a user of its own, a member of the role of its part.
select format('create role %I login', name)
from unnest(array['forestall_migrate', 'forestall_serve', 'forestall_work', 'forestall_people']) as name
where not exists (select from pg_roles where rolname = name) \gexec
grant forestall_owner to forestall_migrate;
grant forestall_app to forestall_serve, forestall_work;
grant forestall_console to forestall_people;
alter role forestall_migrate password :'migrate';
alter role forestall_serve password :'serve';
alter role forestall_work password :'work';
alter role forestall_people password :'console';

-- Who migrates makes tables and schemas; nobody else may.
grant connect, create on database :"database" to forestall_owner;
revoke create on schema public from public;
grant usage, create on schema public to forestall_owner;
SQL
