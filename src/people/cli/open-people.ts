/** The database as `forestall operators` needs it: of one organisation, or of an installation of several. */
import { openDatabase } from '../../base/db/connect.ts';
import type { Db } from '../../base/db/database.ts';
import { forAllOrganisations } from '../../base/db/for-organisation.ts';
import { refuseUnusableSchema } from '../../base/db/migrate.ts';
import { requireReachable } from '../../base/db/reachable.ts';
import type { Clock } from '../../base/kernel/clock.ts';
import { systemClock } from '../../base/kernel/clock.ts';
import { createLog } from '../../base/kernel/log.ts';
import { readCommandSettings, readInstallationPath, readVariables } from '../../running/config.ts';
import { readOrganisations } from '../../running/installation/installation-watcher.ts';
import { INSTALLATION } from '../../surface/access/right.store.ts';
import { findRunning, openRunning } from './running.ts';

/** Where operators are entered. */
export interface People {
  readonly db: Db;
  readonly clock: Clock;
  /** For whom new ones are: the organisation, or the installation. */
  readonly home: string;
  /** Of an installation of several; empty: there is one. */
  readonly organisations: readonly {
    readonly id: string;
    readonly name: string;
    readonly path: string;
  }[];
  close(): Promise<void>;
}

/** Opens it; called only by commands that need it. */
export type OpenPeople = () => Promise<People>;

/** @throws {ConfigError} when there is no database, or its schema is another version's */
export async function openPeople(): Promise<People> {
  const file = readInstallationPath();
  const organisations = file === undefined ? [] : readOrganisations(file, readVariables());
  if (organisations.length < 2) {
    const { db, clock, organisationId, close } = await openRunning();
    return { db, clock, home: organisationId, organisations: [], close };
  }
  const { connectionString } = await findRunning();
  const { schema } = readCommandSettings().database;
  const log = createLog({ level: 'silent' });
  const opened = openDatabase({ connectionString, schema, log, maxConnections: 4 });
  const { db } = forAllOrganisations(opened, 'people');
  await requireReachable(opened);
  try {
    await refuseUnusableSchema(db);
  } catch (error) {
    await opened.close();
    throw error;
  }
  return { db, clock: systemClock, home: INSTALLATION, organisations, close: () => opened.close() };
}
