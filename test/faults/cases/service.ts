/** F58–F76: the service stalls, refuses, contradicts; the network refunds by itself; twins. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import type { FaultCase } from '../case.ts';
import { call } from '../rig/remote.ts';
import type { Dispute, Scene } from '../rig/scene.ts';
import { rest, until } from '../rig/until.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const PATCH = 'PATCH /v1/alerts/{alert_id}';
const GET = 'GET /v1/alerts/{alert_id}';

/** A dispute whose calls to the service go wrong. The fault is planted before the alert is known. */
async function disputeWith(
  scene: Scene,
  faults: readonly {
    on: string;
    kind: 'status' | 'status_after' | 'hang' | 'drop_after' | 'malformed' | 'truncated';
    status?: number;
    code?: string;
    times?: number;
  }[],
  fields: Record<string, unknown> = {},
): Promise<Dispute & { clear: () => Promise<void> }> {
  // Held back by a refund that takes ten seconds to be unclear: time to plant what needs the id.
  const charge = await scene.charge();
  const hold = charge.acquirer_reference_number;
  const { sandbox } = scene.rig;
  await sandbox.fault({ on: 'webhook', kind: 'lose', contains: hold, times: 100 });
  const alertId = await scene.alertAbout(charge, fields);
  const clears = await Promise.all(
    faults.map((fault) => sandbox.fault({ ...fault, contains: alertId })),
  );
  return {
    charge,
    alertId,
    clear: async () => void (await Promise.all(clears.map((clear) => clear()))),
  };
}

async function storm(scene: Scene): Promise<string> {
  const { sandbox } = scene.rig;
  const clear = await sandbox.fault({ on: '*', kind: 'status', status: 429, rate: 1 });
  const fromMs = Date.now() + scene.rig.aheadMs();
  const disputes: Dispute[] = [];
  for (let count = 0; count < 10; count++) disputes.push(await scene.dispute());
  await rest(60_000);
  const seen = (await sandbox.requests('/v')).filter(({ atMs }) => atMs >= fromMs);
  const counts = new Map<string, number>();
  for (const { endpoint } of seen) {
    counts.set(endpoint ?? '', (counts.get(endpoint ?? '') ?? 0) + 1);
  }
  const most = Math.max(0, ...counts.values());
  ok(most <= 80, `an endpoint was called ${most} times in a minute`);
  await clear();
  for (const dispute of disputes) await scene.refundedOnce(dispute, 180_000);
  return `at most ${most} calls a minute to one endpoint during the storm; 10 of 10 answered after it`;
}

async function longOutage(scene: Scene): Promise<void> {
  const times = 100_000;
  const dispute = await disputeWith(
    scene,
    [
      { on: PATCH, kind: 'status', status: 503, times },
      { on: GET, kind: 'status', status: 502, times },
    ],
    { deadline_hours: 10 },
  );
  await until('it is known', () => scene.caseOf(dispute.alertId));
  await scene.time.pass(6 * HOUR_MS);
  await until('people are notified at half of the window', async () =>
    (await scene.messages(dispute.alertId)).some((message) => message.startsWith('deadline_near')),
  );
  deepEqual(await scene.effective(dispute.alertId), []);
  await dispute.clear();
  await scene.time.pass(20 * MINUTE_MS);
  await scene.refundedOnce(dispute);
}

async function hangs(scene: Scene): Promise<void> {
  const stuck = await disputeWith(scene, [
    { on: GET, kind: 'hang' },
    { on: PATCH, kind: 'hang' },
  ]);
  await until('the poll has found it', () => scene.caseOf(stuck.alertId));
  const other = await scene.dispute();
  await scene.refundedOnce(other, 45_000);
  await scene.refundedOnce(stuck, 150_000);
}

/** Lost, no JSON, or half of it: in each case the answer took effect. */
async function replyLost(scene: Scene): Promise<void> {
  const kinds = ['drop_after', 'malformed', 'truncated'] as const;
  await Promise.all(
    kinds.map(async (kind) => scene.refundedOnce(await disputeWith(scene, [{ on: PATCH, kind }]))),
  );
}

/** Already answered, says the service; and so it is. */
async function invalidAction(scene: Scene): Promise<void> {
  const dispute = await disputeWith(scene, [
    { on: PATCH, kind: 'status_after', status: 422, code: 'INVALID_ACTION' },
  ]);
  await scene.refundedOnce(dispute);
}

/** Refunded, and while the answer was under way the alert went another way. */
async function overtaken(
  scene: Scene,
  happens: (alertId: string) => Promise<unknown>,
): Promise<Dispute> {
  const { processor } = scene.rig;
  const dispute = await scene.dispute({}, { faults: ['hang_after'] });
  await until(
    'the money has moved',
    async () => (await processor.ours(dispute.charge.reference)).length === 1,
  );
  await happens(dispute.alertId);
  return dispute;
}

async function withdrawn(scene: Scene): Promise<void> {
  const { sandbox, processor } = scene.rig;
  const dispute = await overtaken(scene, (id) => sandbox.post(`/alerts/${id}/invalidate`, {}));
  await scene.reaches(dispute.alertId, 'CLOSED_INVALID');
  equal((await processor.ours(dispute.charge.reference)).length, 1, 'the refund stands');
  deepEqual(await scene.effective(dispute.alertId), []);
  ok((await sandbox.patches(dispute.alertId)).length <= 1, 'no loop of answers');
  match((await scene.messages(dispute.alertId)).join('\n'), /refund_stands/);
}

async function acceptedMeanwhile(scene: Scene): Promise<void> {
  const { sandbox } = scene.rig;
  const dispute = await overtaken(scene, (id) =>
    sandbox.post(`/alerts/${id}/resolve`, { action: 'ACCEPT_DISPUTE' }),
  );
  await scene.reaches(dispute.alertId, 'CONFLICT');
  match((await scene.messages(dispute.alertId)).join('\n'), /conflict/);
}

async function keyRefused(scene: Scene): Promise<string> {
  const { sandbox, processor } = scene.rig;
  const clear = await sandbox.fault({
    on: '* /v1/alerts*',
    kind: 'status',
    status: 401,
    code: 'UNAUTHORISED',
    rate: 1,
  });
  const startedMs = performance.now();
  const [before] = await scene.rig.sql('select coalesce(max(id), 0) as id from notification');
  const dispute = await scene.dispute();
  await until('people are notified that the key is refused', async () => {
    const rows = await scene.rig.sql(
      `select 1 from notification where id > $1 and text like '%FORESTALL_API_KEY%'`,
      [before?.['id']],
    );
    return rows.length > 0;
  });
  const tookMs = performance.now() - startedMs;
  equal(await processor.callsFor(dispute.charge.reference), 0, 'no declaring, no refunding');
  await clear();
  await scene.refundedOnce(dispute, 240_000);
  return `told after ${(tookMs / 1000).toFixed(0)} s; resumed without a restart`;
}

async function unknownThere(scene: Scene): Promise<void> {
  const dispute = await disputeWith(scene, [
    { on: GET, kind: 'status', status: 404, code: 'NOT_FOUND', times: 1_000 },
  ]);
  await scene.heldFor(dispute);
  await until('somebody is told', async () => (await scene.messages(dispute.alertId)).length > 0);
}

interface Accounts {
  readonly state: { readonly accounts: { readonly rdrEnrolmentId: string } };
}

async function rdrEnrolment(scene: Scene): Promise<string> {
  const url = `${scene.rig.sandbox.url}/sandbox/snapshot`;
  const snapshot = await call<Accounts & { accounts?: { rdrEnrolmentId: string } }>(url, 'GET');
  return (snapshot.accounts ?? snapshot.state.accounts).rdrEnrolmentId;
}

async function networkRefunds(scene: Scene): Promise<void> {
  const enrolment_id = await rdrEnrolment(scene);
  const charge = await scene.charge();
  const alertId = await scene.alertAbout(charge, { enrolment_id });
  await scene.reaches(alertId, 'RECONCILED_RDR');
  await scene.noEffect({ charge, alertId });
  const invalid = await scene.charge();
  const gone = await scene.alertAbout(invalid, { enrolment_id, status: 'INVALID' });
  await scene.reaches(gone, 'CLOSED_INVALID');
  await scene.noEffect({ charge: invalid, alertId: gone });
}

async function bothNetworks(scene: Scene): Promise<void> {
  const { processor } = scene.rig;
  const enrolment_id = await rdrEnrolment(scene);
  const first = await scene.charge();
  await scene.alertAbout(first, { enrolment_id });
  await rest(1_000);
  const late = await scene.alertAbout(first);
  await until('the second is answered for or held', async () => {
    const row = await scene.caseOf(late);
    return row !== undefined && !['RECEIVED', 'MATCHED', 'REFUNDING'].includes(row.state);
  });
  ok((await processor.ours(first.reference)).length <= 1);

  const second = await scene.dispute();
  await scene.refundedOnce(second);
  const paidTwice = await scene.alertAbout(second.charge, { enrolment_id });
  await until('the double payment is told', async () => {
    const rows = await scene.rig.sql(
      `select 1 from notification where kind = 'double_payment' and (alert_id = any($1))`,
      [[paidTwice, second.alertId]],
    );
    return rows.length > 0;
  });
  equal((await processor.ours(second.charge.reference)).length, 1);
}

async function twins(scene: Scene): Promise<void> {
  const charge = await scene.charge();
  const ids = await Promise.all([scene.alertAbout(charge), scene.alertAbout(charge)]);
  for (const alertId of ids) {
    await scene.reaches(alertId, 'DECLARED_REFUND');
    equal((await scene.effective(alertId)).length, 1);
  }
  equal((await scene.rig.processor.ours(charge.reference)).length, 1, 'one refund, two answers');
}

async function twoPayments(scene: Scene): Promise<void> {
  const charge = await scene.charge();
  await scene.charge({ card_last4: charge.card_last4, authorised_at: charge.authorised_at });
  const alertId = await scene.alertAbout(charge, {
    acquirer_reference_number: null,
    authorisation_code: null,
  });
  await until('it waits for a person', async () => {
    const row = await scene.caseOf(alertId);
    return row !== undefined && ['AMBIGUOUS', 'HUMAN'].includes(row.state);
  });
  await scene.noEffect({ charge, alertId });
}

async function deadlinePasses(scene: Scene): Promise<void> {
  const charge = await scene.charge({ amount_in_cents: 90_000 });
  const alertId = await scene.alertAbout(charge, { deadline_hours: 20 });
  await scene.reaches(alertId, 'HUMAN');
  await scene.time.pass(11 * HOUR_MS);
  await until('an alarm before the deadline', async () =>
    (await scene.messages(alertId)).some((message) => message.startsWith('deadline_near')),
  );
  await scene.time.pass(10 * HOUR_MS);
  await until('the miss is recorded', async () =>
    (await scene.messages(alertId)).some((message) => message.startsWith('missed')),
  );
  await scene.noEffect({ charge, alertId });
}

async function webhooksLost(scene: Scene): Promise<string> {
  const startedMs = performance.now();
  const make = (): Promise<Dispute> => disputeWith(scene, []);
  const disputes = await Promise.all([make(), make(), make()]);
  for (const dispute of disputes) await scene.refundedOnce(dispute, 120_000);
  return `the poll (every 10 s here) answered all within ${((performance.now() - startedMs) / 1000).toFixed(0)} s`;
}

export const SERVICE_CASES: readonly FaultCase[] = [
  { id: 'F18', place: 'shared', quick: true, run: webhooksLost },
  { id: 'F58', place: 'alone', run: storm },
  { id: 'F59', place: 'hours', run: longOutage },
  { id: 'F60', place: 'shared', run: hangs },
  { id: 'F61', place: 'shared', run: replyLost },
  { id: 'F63', place: 'shared', quick: true, run: invalidAction },
  { id: 'F64', place: 'shared', run: withdrawn },
  { id: 'F65', place: 'shared', run: acceptedMeanwhile },
  { id: 'F66', place: 'alone', run: keyRefused },
  { id: 'F70', place: 'shared', run: unknownThere },
  { id: 'F72', place: 'shared', run: networkRefunds },
  { id: 'F73', place: 'shared', run: bothNetworks },
  { id: 'F74', place: 'shared', quick: true, run: twins },
  { id: 'F75', place: 'shared', run: twoPayments },
  { id: 'F76', place: 'hours', run: deadlinePasses },
];
