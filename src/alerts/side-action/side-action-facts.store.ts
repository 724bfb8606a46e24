/** Gathers what side actions depend on: the alert, its decisions, its charge and its order. Reads only. */
import type { Kysely } from 'kysely';
import type { Database } from '../../base/db/database.ts';
import { findCharge } from '../../orders/charge.store.ts';
import { findOrder } from '../../orders/find-order.ts';
import { customerIdentities } from '../guard/customer-identity.ts';
import type { CancelChoice } from '../guard/guard-settings.ts';
import type { DecidedSideActions, SideActionFacts } from './plan-side-actions.ts';

/** The facts of one alert; undefined when there is no such case. */
export async function readSideActionFacts(
  db: Kysely<Database>,
  { organisationId, alertId }: { readonly organisationId: string; readonly alertId: string },
  cancelSubscriptions: CancelChoice,
): Promise<SideActionFacts | undefined> {
  const row = await db
    .selectFrom('alert_case as c')
    .innerJoin('alert as a', (join) =>
      join.onRef('a.organisation_id', '=', 'c.organisation_id').onRef('a.id', '=', 'c.alert_id'),
    )
    .select(['a.enrolment_type', 'a.reason_code', 'c.charge_reference'])
    .where('c.organisation_id', '=', organisationId)
    .where('c.alert_id', '=', alertId)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const chargeReference = row.charge_reference;
  const charge =
    chargeReference === null ? undefined : await findCharge(db, organisationId, chargeReference);
  const orderReference = charge?.orderReference ?? null;
  const order =
    orderReference === null ? undefined : await findOrder(db, organisationId, orderReference);
  const subscription = charge?.subscriptionReference ?? null;
  return {
    alertId,
    enrolmentType: row.enrolment_type,
    reasonCode: row.reason_code,
    decisions: await readDecisions(db, organisationId, alertId),
    charge: chargeReference,
    subscribed: subscription !== null || (order?.body.subscriptions ?? []).length > 0,
    subscription,
    order: orderReference,
    customer: order === undefined ? [] : customerIdentities(order),
    cancelSubscriptions,
  };
}

async function readDecisions(
  db: Kysely<Database>,
  organisationId: string,
  alertId: string,
): Promise<DecidedSideActions[]> {
  const rows = await db
    .selectFrom('decision')
    .select(['action', 'decided_by', 'guard', 'sentence', 'side_actions'])
    .where('organisation_id', '=', organisationId)
    .where('alert_id', '=', alertId)
    .where('shadow', '=', false)
    .orderBy('id')
    .execute();
  return rows.map((row) => ({
    action: row.action,
    byOperator: row.decided_by.startsWith('operator:'),
    guarded: row.guard !== null,
    sentence: row.sentence,
    wanted: row.side_actions,
  }));
}
