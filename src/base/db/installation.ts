/** What everything is given that works for one installation. */
import type { Clock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import type { Db } from './database.ts';

/** Its database, its time, its log, whose rows these are, and who this process is. */
export interface Installation {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  /** The organisation that it is pinned to: what is of another one is not ours. */
  readonly organisationId: string;
  /** Names this process as a holder of leases. */
  readonly workerId: string;
}
