/** PostgreSQL with the tools for replication, where the machine has one; the embedded server comes without. */
import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Its programs. */
export interface Tools {
  readonly initdb: string;
  readonly pg_ctl: string;
  readonly pg_basebackup: string;
}

const NAMES = ['initdb', 'pg_ctl', 'pg_basebackup'] as const;

/** Where Debian's packages put each version. */
const DEBIAN = '/usr/lib/postgresql';

/** The first folder that holds all of them: along PATH, then Debian's newest. */
export function findTools(): Tools | undefined {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN) : [];
  const folders = [
    ...(process.env['PATH'] ?? '').split(delimiter),
    ...versions
      .sort((a, b) => Number(b) - Number(a))
      .map((version) => join(DEBIAN, version, 'bin')),
  ];
  const folder = folders.find((each) => NAMES.every((name) => existsSync(join(each, name))));
  if (folder === undefined) return undefined;
  return {
    initdb: join(folder, 'initdb'),
    pg_ctl: join(folder, 'pg_ctl'),
    pg_basebackup: join(folder, 'pg_basebackup'),
  };
}
