/**
 * Whether an installation can do its work: the database answers, its schema is ours, some worker is alive.
 * Messages that do not arrive and refunds that wait are told beside it.
 */

import { readLook, readWithheld } from '../../alerts/guard/resume.store.ts';
import { RESUME_REASONS } from '../../alerts/guard/resume-rule.ts';
import type { Health } from '../../alerts/receive/receiver-app.ts';
import { pendingMigrations } from '../../base/db/migrate.ts';
import { isReadOnlyError, READ_ONLY_STEP } from '../../base/db/writable.ts';
import { countAlive } from '../../base/jobs/heartbeat.store.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { readUndelivered } from '../../books/insights/operations.store.ts';
import type { Parts } from './parts.ts';
import type { AskHealth } from './shared-health.ts';
import { shareHealth } from './shared-health.ts';

/** The same for all who ask one listener; see there. */
export function sharedReadiness(parts: Parts): AskHealth {
  return shareHealth(() => readiness(parts));
}

/** How long a message may wait before readiness speaks of it, in seconds: a few attempts. */
const WAITING_SECONDS = 300;

async function showUndelivered({ database, organisationId, clock }: Parts): Promise<string> {
  const scope = { organisationId, now: nowDate(clock) };
  const { waiting, oldestSeconds, givenUp } = await readUndelivered(database.db, scope);
  if (givenUp === 0 && oldestSeconds < WAITING_SECONDS) return 'ok';
  return `${waiting} waiting, the oldest for ${oldestSeconds} s; ${givenUp} given up`;
}

async function showLook({ database, organisationId }: Parts): Promise<string> {
  const look = await readLook(database.db, organisationId);
  if (look === undefined) {
    const { size } = await readWithheld(database.db, organisationId);
    return size === 0
      ? 'ok'
      : `${size} charges held back after a restore: the processor cannot be asked about them`;
  }
  return `reconciling first since ${look.since}: ${RESUME_REASONS[look.reason]}; waits for ${look.waitsFor}`;
}

/** Ready: the database answers, its schema is ours, and some worker is alive. */
export async function readiness(parts: Parts): Promise<Health> {
  const { database, organisationId, clock } = parts;
  try {
    const pending = await pendingMigrations(database.db);
    const alive = await countAlive(database.db, {
      organisationId,
      role: 'work',
      now: nowDate(clock),
    });
    return {
      ok: pending.length === 0 && alive > 0,
      checks: {
        database: 'ok',
        migrations: pending.length === 0 ? 'ok' : 'pending',
        worker: alive > 0 ? 'ok' : 'none alive',
        // Told, not judged: a receiver that cannot reach Slack still takes in webhooks (F77).
        notifications: await showUndelivered(parts),
        // Told as well: deliveries are taken in meanwhile.
        refunds: await showLook(parts),
      },
    };
  } catch (error) {
    parts.log.warn({ err: error }, 'not ready');
    const database = isReadOnlyError(error) ? `read-only: ${READ_ONLY_STEP}` : 'unreachable';
    return { ok: false, checks: { database } };
  }
}
