/**
 * Takes an alert that was just read from the service onto its row, by the same rules as a webhook. Most
 * reads show what is known already: they cost one statement, and no lock is held between two.
 */
import type { Reads } from '../../base/db/columns.ts';
import type { Db, Trx } from '../../base/db/database.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import type { Clock } from '../../base/kernel/clock.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import type { ApplyInput } from './apply-snapshots.ts';
import { applySnapshots } from './apply-snapshots.ts';
import type { Confirmed } from './entity.store.ts';
import { confirmEntity, readMoment } from './entity.store.ts';
import type { ServiceObject } from './fields.ts';
import { ALERT_PROJECTION } from './project-alert.ts';
import { readSnapshot } from './snapshot.ts';

/** Applies it: in the transaction of the one who holds the alert's case, or in one of its own; then reads a row. */
export type ApplyRead = <Row>(
  object: ServiceObject,
  how?: { readonly trx?: Trx; readonly reads?: Reads<Row> | undefined },
) => Promise<Row | undefined>;

/** Creates the function that applies what was read. */
export function createApplyRead(deps: {
  readonly db: Db;
  readonly organisationId: string;
  readonly clock: Clock;
}): ApplyRead {
  const { db, organisationId, clock } = deps;
  return async (object, { trx, reads } = {}) => {
    const snapshots = [{ entity: 'alert', object, eventId: null }] as const;
    const input = { organisationId, source: 'poll', snapshots, now: nowDate(clock) } as const;
    if (trx !== undefined) {
      await applySnapshots(trx, { ...input, wakes: false });
    } else {
      const { isKnown, row } = await confirmKnown(db, input, reads);
      if (isKnown) return row;
      await inTransaction(db, (own) => applySnapshots(own, input));
    }
    return reads === undefined ? undefined : (await reads.query.execute(trx ?? db)).rows[0];
  };
}

/** Whether the row holds this content already, at the same moment: then only the moment of the read is new. */
async function confirmKnown<Row>(
  db: Db,
  input: ApplyInput,
  reads: Reads<Row> | undefined,
): Promise<Confirmed<Row>> {
  const { organisationId, source, snapshots, now } = input;
  const [first] = snapshots;
  if (first === undefined) return NOT_KNOWN;
  const projection = ALERT_PROJECTION;
  const readAt = readMoment(source, now);
  const read = readSnapshot(first, { organisationId, projection, source, readAt });
  if (!read.ok || read.masked.length > 0) return NOT_KNOWN;
  return await confirmEntity(db, { organisationId, snapshot: read.snapshot, reads });
}

const NOT_KNOWN = { isKnown: false, row: undefined } as const;
