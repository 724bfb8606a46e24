/**
 * Binds polling to the apply path of webhooks, one transaction for each batch.
 *
 * A batch that holds one object the database refuses is applied object by object, so that one alert
 * that cannot be stored never blocks the others.
 */

import type { Installation } from '../../base/db/database.ts';
import { isRowFault } from '../../base/db/row-fault.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { applySnapshots } from '../apply/apply-snapshots.ts';
import type { ServiceObject } from '../apply/fields.ts';
import type { ApplyPolled, PolledSnapshot, SnapshotEffect } from './poll-port.ts';

export type ApplyPolledOptions = Pick<Installation, 'db' | 'clock' | 'log' | 'organisationId'>;

/** Creates the apply path for polls. */
export function createApplyPolled(options: ApplyPolledOptions): ApplyPolled {
  return async (snapshots) => {
    try {
      return await applyTogether(options, snapshots);
    } catch (error) {
      if (!isRowFault(error)) throw error;
      const effects: SnapshotEffect[] = [];
      for (const snapshot of snapshots) effects.push(await applyAlone(options, snapshot));
      return effects;
    }
  };
}

async function applyTogether(
  { db, clock, log, organisationId }: ApplyPolledOptions,
  snapshots: readonly PolledSnapshot[],
): Promise<SnapshotEffect[]> {
  const outcomes = await inTransaction(db, (trx) =>
    applySnapshots(trx, {
      organisationId,
      source: 'poll',
      now: nowDate(clock),
      snapshots: snapshots.map(({ entity, object }) => ({
        entity,
        object: { ...object } satisfies ServiceObject,
        eventId: null,
      })),
    }),
  );
  return outcomes.map((outcome, index) => {
    if (outcome.effect !== 'refused') return outcome.effect;
    const { reason, detail } = outcome;
    log.error({ id: snapshots[index]?.object.id, reason, detail }, 'polled object unusable');
    return 'refused';
  });
}

async function applyAlone(
  options: ApplyPolledOptions,
  snapshot: PolledSnapshot,
): Promise<SnapshotEffect> {
  try {
    const [effect = 'refused'] = await applyTogether(options, [snapshot]);
    return effect;
  } catch (error) {
    if (!isRowFault(error)) throw error;
    options.log.error({ err: error, id: snapshot.object.id }, 'polled object unusable');
    return 'refused';
  }
}
