/**
 * Whether an installation can do its work. How each part is, is judged in one place
 * (`health/health.ts`); here it becomes the answer of a process, whatever the database does.
 */
import type { Db } from '../../base/db/database.ts';
import { isReadOnlyError, READ_ONLY_STEP, requireStillWritable } from '../../base/db/writable.ts';
import type { DueScope } from '../../base/jobs/due.store.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { CAPABILITIES } from '../../capabilities/index.ts';
import type { PartHealth } from '../../health/health.ts';
import { isReady, readHealth } from '../../health/health.ts';
import type { Sample } from '../../health/metrics.ts';
import type { OrganisationParts } from './parts.ts';
import type { AskHealth, InstallationHealth } from './shared-health.ts';
import { shareHealth } from './shared-health.ts';

/** The same for all who ask one listener; see there. */
export function sharedReadiness(parts: OrganisationParts): AskHealth {
  let hasAnswered = false;
  const check = async (): Promise<InstallationHealth> => {
    hasAnswered = false;
    return await readiness(parts, () => {
      hasAnswered = true;
    });
  };
  return shareHealth(check, (isBusy) => (hasAnswered || isBusy ? SLOW : LATE));
}

/** Ready: the database answers, its schema is ours, and some worker is alive. `onAnswer`: it has answered something. */
export async function readiness(
  parts: OrganisationParts,
  onAnswer?: () => void,
): Promise<InstallationHealth> {
  const { database, organisationId, clock, log } = parts;
  try {
    // One connection for all of it: anyone who asks, as often as they like, takes no more from the workers.
    const now = nowDate(clock);
    const health = await database.db.connection().execute(async (connection) => {
      await requireStillWritable(connection);
      onAnswer?.();
      return await readWholeHealth(connection, { organisationId, now });
    });
    return healthOf(health);
  } catch (error) {
    log.warn({ err: error }, 'not ready');
    return isReadOnlyError(error)
      ? withoutDatabase('read-only', READ_ONLY_STEP)
      : withoutDatabase('unreachable', DATABASE_STEP);
  }
}

/** How each part is, those of capabilities too. Throws what the database throws. */
export async function readWholeHealth(db: Db, scope: DueScope): Promise<PartHealth[]> {
  const parts = await readHealth(db, scope);
  // Before the migrations there is nothing to read.
  if (!parts.some(({ name }) => name === 'worker')) return parts;
  for (const { health } of CAPABILITIES) parts.push(...((await health?.(db, scope)) ?? []));
  return parts;
}

/** The figures of capabilities. */
export async function readCapabilitySamples(db: Db, scope: DueScope): Promise<Sample<string>[]> {
  const samples: Sample<string>[] = [];
  for (const { metrics } of CAPABILITIES) samples.push(...((await metrics?.read(db, scope)) ?? []));
  return samples;
}

const DATABASE_STEP = 'Check DATABASE_URL, and that the server runs; or run: forestall doctor';

/** A check that took too long. */
const LATE = withoutDatabase(
  'does not answer',
  'Look for long transactions and a full disk on the database server.',
);

/** A check that took too long on a database that answers, or in a process that had no time for it. */
const SLOW = healthOf([
  {
    name: 'database',
    status: 'warning',
    detail: 'it answers, and how the parts are could not be read within 2 s',
    nextStep:
      'If it stays so, look at the load of this machine and of the database, and for locks.',
  },
]);

/** All that can be said without the database. */
function withoutDatabase(detail: string, nextStep: string): InstallationHealth {
  return healthOf([{ name: 'database', status: 'failed', detail, nextStep }]);
}

/** The answer of the private port with what it is made of. */
function healthOf(parts: readonly PartHealth[]): InstallationHealth {
  const checks = parts.map(({ name, status, detail, nextStep }) => [
    name,
    status === 'ok' ? 'ok' : `${detail}. ${nextStep}`,
  ]);
  return { ok: isReady(parts), checks: Object.fromEntries(checks), parts };
}
