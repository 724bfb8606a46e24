/**
 * The operators: from time to time one looks at what is held and decides, not always wisely.
 */
import type { Kysely } from 'kysely';
import { applyOperatorDecision } from '../../src/refund/operator-decision.ts';
import type { Database } from '../../src/db/database.ts';
import type { Clock } from '../../src/kernel/clock.ts';
import { nowDate } from '../../src/kernel/clock.ts';
import type { Random } from '../../src/sandbox/random.ts';
import type { Truth } from './truth.ts';
import { oneOf } from './weather.ts';

/** What an operator works with. */
export interface OperatorOptions {
  readonly db: Kysely<Database>;
  readonly clock: Clock;
  readonly random: Random;
  readonly organisationId: string;
  readonly truth: Truth;
  /** How often somebody has decided about an alert. */
  readonly decided: Map<string, number>;
}

/** Whoever was refused so often gives up. */
const DECISIONS_MAX = 5;

/** One look at the list. */
export async function lookAtHeldCases(options: OperatorOptions): Promise<void> {
  const { db, clock, random, organisationId, truth } = options;
  const held = await db
    .selectFrom('alert_case')
    .select(['alert_id', 'charge_reference'])
    .where('organisation_id', '=', organisationId)
    .where('is_open', '=', true)
    .where('state', 'in', ['HUMAN', 'UNMATCHED', 'AMBIGUOUS', 'REFUNDING'])
    .orderBy('deadline_at')
    .orderBy('alert_id')
    .execute();
  for (const { alert_id: alertId, charge_reference: known } of held) {
    const before = options.decided.get(alertId) ?? 0;
    if (before >= DECISIONS_MAX || random() < 0.5) continue;
    options.decided.set(alertId, before + 1);
    const action = oneOf(random, ['REFUND', 'REFUND', 'ACCEPT_DISPUTE', 'RETRY'] as const);
    const charge = truth.chargeOf.get(alertId) ?? null;
    const result = await applyOperatorDecision(db, {
      organisationId,
      alertId,
      action,
      note: '',
      operator: 'ada',
      now: nowDate(clock),
      ...(known === null && charge !== null && action === 'REFUND'
        ? { chargeReference: charge }
        : {}),
    });
    if (result.ok && action === 'REFUND') truth.refundedByOperator.add(alertId);
  }
}
