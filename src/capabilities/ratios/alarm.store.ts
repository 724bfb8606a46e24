/** Alarms about the lines of programmes: each level of each line once a month, with the next step. */
import type { Db } from '../../base/db/database.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import { notify } from '../../base/notify/notification.store.ts';
import type { Scope } from './scope.ts';
import type { Nearness } from './standing.ts';
import { ALARM_LEVELS } from './standing.ts';
import { alarmText } from './words.ts';

/**
 * Raises the alarms whose level is reached. Where several are reached at once, people hear of the highest; the others
 * are noted as raised.
 */
export async function raiseAlarms(
  db: Db,
  {
    organisationId,
    scope,
    judged,
    now,
  }: {
    readonly organisationId: string;
    readonly scope: Scope;
    readonly judged: readonly Nearness[];
    readonly now: Date;
  },
): Promise<number> {
  let raised = 0;
  for (const nearness of judged) {
    const levels = ALARM_LEVELS.filter((level) => nearness.progress >= level);
    const level = levels.at(-1);
    if (level === undefined) continue;
    const key = keyOf(organisationId, { scope, nearness });
    await inTransaction(db, async (trx) => {
      const { count, target, base, progress, reading } = nearness;
      const added = await trx
        .insertInto('programme_alarm')
        .values(
          levels.map((each) => ({
            ...key,
            level: each,
            detail: JSON.stringify({ count, target, base, progress, reading }),
            raised_at: now,
          })),
        )
        .onConflict((conflict) => conflict.doNothing())
        .returning('level')
        .execute();
      if (!added.some((row) => row.level === level)) return;
      raised += 1;
      await notify(trx, {
        organisationId,
        dedupeKey: `ratio:${JSON.stringify([key.month, key.programme, key.line, key.scope, key.scope_id, key.basis, level])}`,
        kind: 'ratio_alarm',
        severity: level >= 90 ? 'error' : 'warning',
        text: alarmText(nearness, { scope, level }),
        at: now,
      });
    });
  }
  return raised;
}

function keyOf(
  organisationId: string,
  { scope, nearness }: { readonly scope: Scope; readonly nearness: Nearness },
): {
  organisation_id: string;
  month: string;
  programme: string;
  line: string;
  scope: Scope['kind'];
  scope_id: string;
  basis: Nearness['basis'];
} {
  return {
    organisation_id: organisationId,
    month: `${nearness.month}-01`,
    programme: nearness.programme.id,
    line: nearness.line.name,
    scope: scope.kind,
    scope_id: scope.id,
    basis: nearness.basis,
  };
}
