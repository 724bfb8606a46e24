/** What the cluster bench needs of this machine, and which of Debian's packages bring it. */
import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Programs, each with the package that it comes in. */
const PACKAGES = {
  etcd: 'etcd-server',
  haproxy: 'haproxy',
  patroni: 'patroni',
  pgbouncer: 'pgbouncer',
  setpriv: 'util-linux',
} as const;

/** Of PostgreSQL; all in one folder. */
const SERVER_PROGRAMS = ['postgres', 'pg_basebackup', 'pg_rewind', 'psql'] as const;

/** Where Debian puts what only administrators have along PATH. */
const FURTHER_FOLDERS = ['/usr/bin', '/usr/sbin'];

const SERVERS = '/usr/lib/postgresql';

/** The programs that were found, by name, and PostgreSQL's folder. */
export interface Programs extends Readonly<Record<keyof typeof PACKAGES, string>> {
  readonly server: string;
}

/** Where to look. */
export interface Places {
  readonly folders: readonly string[];
  readonly servers: readonly string[];
}

/** This machine's. */
export function placesHere(): Places {
  const versions = existsSync(SERVERS) ? readdirSync(SERVERS) : [];
  return {
    folders: [...(process.env['PATH'] ?? '').split(delimiter), ...FURTHER_FOLDERS],
    servers: versions
      .sort((a, b) => Number(b) - Number(a))
      .map((version) => join(SERVERS, version, 'bin')),
  };
}

/** The programs, or the names of the packages that are missing. */
export function findPrograms(places: Places): Programs | { readonly missing: readonly string[] } {
  const names = Object.keys(PACKAGES) as (keyof typeof PACKAGES)[];
  const found = new Map<string, string>();
  for (const name of names) {
    const folder = places.folders.find((each) => existsSync(join(each, name)));
    if (folder !== undefined) found.set(name, join(folder, name));
  }
  const server = places.servers.find((folder) =>
    SERVER_PROGRAMS.every((name) => existsSync(join(folder, name))),
  );
  const missing = [
    ...names.filter((name) => !found.has(name)).map((name) => PACKAGES[name]),
    ...(server === undefined ? ['postgresql'] : []),
  ];
  if (server === undefined || missing.length > 0) return { missing: missing.sort() };
  return { ...(Object.fromEntries(found) as Omit<Programs, 'server'>), server };
}

/** What to do about packages that are missing. */
export function installText(missing: readonly string[]): string {
  return `The cluster bench needs programs that are not installed here. On Debian, as root:\n  apt-get install --no-install-recommends ${missing.join(' ')}`;
}
