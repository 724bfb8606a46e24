/** Whether two alerts are one complaint, where a person says so. */
import { byOperator, writeAudit } from '../../base/audit/audit.store.ts';
import type { Trx } from '../../base/db/database.ts';
import type { CaseRow } from '../cases/case.store.ts';
import type { Dispute, Ledger } from '../ledger/ledger.ts';
import { disputeOf } from '../ledger/ledger.ts';
import { nameDispute, newDispute } from '../ledger/place.store.ts';
import { claimedMinor, moneyOf } from '../ledger/same-dispute.ts';
import { rests } from './offered-actions.ts';
import type { DecideAction, OperatorDecision, OperatorResult } from './operator-decision.ts';
import { refuse } from './operator-decision.ts';
import { decideAnew } from './operator-money.ts';

/** "It is the same complaint": the alert joins a dispute of its charge. */
export const joinDispute: DecideAction = async (trx, current, { decision, ledger }) => {
  const { disputeId } = decision;
  if (ledger === undefined) return refuse('charge_needed');
  const target = disputeOf(ledger, disputeId ?? null);
  if (target === undefined || target.id === current.dispute_id) return refuse('no_such_dispute');
  const own = disputeOf(ledger, current.dispute_id);
  // An alert that was never placed may join what money depends on; a placed one may not be moved there.
  if (own !== undefined && (rests(ledger, own.id) || rests(ledger, target.id))) {
    return refuse('money_rests');
  }
  return await place(trx, current, { decision, ledger, target, what: 'joined by a person' });
};

/** "It is another complaint": the alert gets a dispute of its own. */
export const separateDispute: DecideAction = async (trx, current, { decision, ledger }) => {
  if (ledger === undefined) return refuse('charge_needed');
  const money = moneyOf(ledger);
  const own = disputeOf(ledger, current.dispute_id);
  if (money === undefined) return refuse('charge_needed');
  if (own !== undefined && rests(ledger, own.id)) return refuse('money_rests');
  const alerts = own?.alerts ?? ledger.unplaced;
  const alert = alerts.find(({ alertId }) => alertId === current.alert_id);
  const amountMinor = alert === undefined ? money.amountMinor : claimedMinor(alert, money);
  const target = newDispute({ amountMinor, currency: money.currency });
  const what = 'separated by a person';
  return await place(trx, current, { decision, ledger, target, opens: target, what });
};

async function place(
  trx: Trx,
  current: CaseRow,
  how: {
    readonly decision: OperatorDecision;
    readonly ledger: Ledger;
    readonly target: Dispute;
    /** The target where it is a new one. */
    readonly opens?: Dispute;
    readonly what: string;
  },
): Promise<OperatorResult> {
  const { decision, ledger, target, what } = how;
  const { organisationId, alertId, operator, now } = decision;
  const charge = { organisationId, chargeReference: ledger.chargeReference };
  await nameDispute(trx, {
    charge,
    alertId,
    disputeId: target.id,
    ...(how.opens === undefined ? {} : { opens: how.opens }),
    reason: decision.note === '' ? what : decision.note,
    duplicate: false,
    isNetwork: false,
    actor: `operator:${operator}`,
    now,
  });
  await decideOthersAnew(trx, ledger, { decision, disputeIds: [target.id, current.dispute_id] });
  return await decideAnew(trx, { ...current, dispute_id: target.id }, { decision, what });
}

/** Joining or separating decides every alert of both disputes again. */
async function decideOthersAnew(
  trx: Trx,
  ledger: Ledger,
  { decision, disputeIds }: { decision: OperatorDecision; disputeIds: readonly (string | null)[] },
): Promise<void> {
  const { organisationId, alertId, operator, now } = decision;
  const others = ledger.disputes
    .filter(({ id }) => disputeIds.includes(id))
    .flatMap(({ alerts }) => alerts)
    .filter((alert) => alert.alertId !== alertId && alert.caseState === 'HUMAN');
  for (const other of others) {
    const row = await trx
      .selectFrom('alert_case')
      .selectAll()
      .where('organisation_id', '=', organisationId)
      .where('alert_id', '=', other.alertId)
      .forUpdate()
      .executeTakeFirst();
    if (row?.state !== 'HUMAN') continue;
    await decideAnew(trx, row, { decision, what: 'its dispute was joined or separated' });
    await writeAudit(trx, {
      organisationId,
      at: now,
      ...byOperator(operator),
      alertId: other.alertId,
      what: `decided again, because alert ${alertId} was joined or separated`,
    });
  }
}
