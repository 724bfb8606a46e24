/** F09–F28: events repeated, out of order, foreign, or full of surprises. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import type { FaultCase } from '../case.ts';
import type { Thing } from '../rig/remote.ts';
import type { Dispute, Scene } from '../rig/scene.ts';
import { digits, eventText } from '../rig/scene.ts';
import { until } from '../rig/until.ts';
import { accepted, harmless } from './signatures.ts';

/** A dispute no webhook of which arrives: the case sends them itself. The poll may still find it. */
async function unannounced(scene: Scene, amountMinor = 4_900): Promise<Dispute> {
  const charge = await scene.charge({ amount_in_cents: amountMinor });
  const contains = charge.acquirer_reference_number;
  await scene.rig.sandbox.fault({ on: 'webhook', kind: 'lose', contains, times: 100 });
  return { charge, alertId: await scene.alertAbout(charge) };
}

/** Above what the policy decides about: it waits for a person. */
const FOR_PEOPLE = 90_000;

async function applied(scene: Scene, body: string): Promise<void> {
  const id = String(JSON.parse(body).id);
  await until(`event ${id} is applied`, async () => {
    const rows = await scene.rig.sql('select 1 from inbox_work where event_id = $1', [id]);
    return rows.length === 0;
  });
}

async function tell(scene: Scene, object: Thing | object, type = 'alert.updated'): Promise<void> {
  const body = eventText(object as Thing, { type });
  equal((await scene.post(body)).status, 200);
  await applied(scene, body);
}

async function fiftyAtOnce(scene: Scene): Promise<void> {
  const dispute = await unannounced(scene);
  const body = eventText(await scene.shown(dispute.alertId), { type: 'alert.created' });
  const headers = { 'x-signature': scene.signature(body) };
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => scene.post(body, { headers })),
  );
  deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
  const fresh = answers.filter(({ body: text }) => !JSON.parse(text).duplicate);
  equal(fresh.length, 1, 'one of them was new');
  await scene.refundedOnce(dispute);
}

async function otherBody(scene: Scene): Promise<void> {
  const id = `evt_reused_${digits(9)}`;
  await accepted(scene, eventText({ id: 'one' }, { id, type: 'fault.test' }));
  const second = eventText({ id: 'two' }, { id, type: 'fault.test' });
  equal((await scene.post(second)).status, 200);
  const rows = await scene.rig.sql(
    `select body = $2 as is_second from quarantine where event_id = $1 and reason = 'id_reused'`,
    [id, Buffer.from(second)],
  );
  deepEqual(rows, [{ is_second: true }]);
  const told = await scene.messages('event_quarantined');
  ok(told.length > 0, 'somebody is told');
}

async function sameContent(scene: Scene): Promise<void> {
  const dispute = await unannounced(scene);
  const object = await scene.shown(dispute.alertId);
  await Promise.all(Array.from({ length: 5 }, () => tell(scene, object, 'alert.created')));
  await scene.refundedOnce(dispute);
}

async function deliveryIds(scene: Scene): Promise<void> {
  const body = harmless();
  for (const [delivery, duplicate] of [
    ['dlv_1', false],
    ['dlv_2', true],
  ] as const) {
    const answer = await scene.post(body, { headers: { 'x-idempotency-key': delivery } });
    equal(JSON.parse(answer.body).duplicate, duplicate);
  }
}

async function newEventSameDelivery(scene: Scene): Promise<void> {
  const headers = { 'x-idempotency-key': `dlv_${digits(9)}` };
  for (let round = 0; round < 2; round++) {
    const answer = await scene.post(harmless(), { headers });
    equal(JSON.parse(answer.body).duplicate, false);
  }
}

async function updatedFirst(scene: Scene): Promise<void> {
  for (const order of [
    ['alert.updated', 'alert.created'],
    ['alert.created', 'alert.updated'],
  ]) {
    const dispute = await unannounced(scene);
    const object = await scene.shown(dispute.alertId);
    for (const type of order) await tell(scene, object, type);
    await scene.refundedOnce(dispute);
  }
}

/** The same alert at two moments: open, then answered in the dashboard. */
async function history(scene: Scene): Promise<{ alertId: string; open: Thing; closed: Thing }> {
  const { alertId } = await unannounced(scene, FOR_PEOPLE);
  const open = await scene.shown(alertId);
  await scene.rig.sandbox.post(`/alerts/${alertId}/resolve`, { action: 'ACCEPT_DISPUTE' });
  return { alertId, open, closed: await scene.shown(alertId) };
}

async function statusOf(scene: Scene, alertId: string): Promise<unknown> {
  const [row] = await scene.rig.sql('select status from alert where id = $1', [alertId]);
  return row?.['status'];
}

async function olderAfterNewer(scene: Scene): Promise<void> {
  const { alertId, open, closed } = await history(scene);
  await tell(scene, closed);
  await tell(scene, open);
  equal(await statusOf(scene, alertId), 'RESOLVED');
  equal((await scene.rig.sandbox.patches(alertId)).length, 0, 'nothing is sent');
}

async function permutations(scene: Scene): Promise<void> {
  const { alertId, open, closed } = await history(scene);
  await scene.rig.sandbox.post(`/alerts/${alertId}/invalidate`, {});
  const gone = await scene.shown(alertId);
  const told = [open, open, closed, gone];
  // Every order of four things is one of 24; ten of them, each from its own starting point.
  for (let round = 0; round < 10; round++) {
    const order = [...told.keys()].sort(
      (a, b) => ((a * 7 + round * 5) % 4) - ((b * 7 + round * 3) % 4),
    );
    for (const index of order) await tell(scene, told[index] ?? open);
    equal(await statusOf(scene, alertId), 'INVALID', `after round ${round}`);
  }
  equal((await scene.rig.sandbox.patches(alertId)).length, 0, 'nothing is sent');
}

async function oldNews(scene: Scene): Promise<void> {
  const charge = await scene.charge();
  const contains = charge.acquirer_reference_number;
  const { sandbox } = scene.rig;
  await sandbox.fault({ on: 'webhook', kind: 'lose', contains, times: 100 });
  const alertId = await scene.alertAbout(charge, { status: 'RESOLVED' });
  const object = await scene.shown(alertId);
  const then = new Date(Date.now() - 3 * 86_400_000).toISOString();
  await tell(
    scene,
    { ...object, status: 'ACTION_REQUIRED', outcome: null, created_at: then, updated_at: then },
    'alert.created',
  );
  await scene.reaches(alertId, 'CLOSED_REMOTE');
  await scene.noEffect({ charge, alertId });
}

async function unknownFields(scene: Scene): Promise<void> {
  const dispute = await unannounced(scene);
  const object = await scene.shown(dispute.alertId);
  const body = JSON.stringify({
    ...JSON.parse(eventText({ ...object, novelty: { deep: [1, { x: null }] } })),
    also_new: true,
  });
  await accepted(scene, body);
  const [row] = await scene.rig.sql(
    'select convert_from(body, $2) as body from inbox_event where event_id = $1',
    [JSON.parse(body).id, 'UTF8'],
  );
  equal(row?.['body'], body, 'kept whole');
  await scene.refundedOnce(dispute);
}

async function foreign(scene: Scene): Promise<void> {
  const dispute = await unannounced(scene, FOR_PEOPLE);
  const object = await scene.shown(dispute.alertId);
  const id = `netalrt_${digits(12)}`;
  const body = eventText({ ...object, id, organisation_id: 'org_somebodyelse' });
  equal((await scene.post(body)).status, 200);
  const reason = await until('it is in quarantine', async () => {
    const rows = await scene.rig.sql('select reason from quarantine where event_id = $1', [
      JSON.parse(body).id,
    ]);
    return rows[0]?.['reason'];
  });
  equal(reason, 'foreign_organisation');
  equal(await scene.caseOf(id), undefined, 'no case is opened');
}

async function hostileText(scene: Scene): Promise<void> {
  const dispute = await unannounced(scene);
  const object = await scene.shown(dispute.alertId);
  const text = `null\\u0000 lone \\ud800 rtl \u202e emoji \u{1f4a5} <img src=x onerror=1>`;
  const body = eventText({ ...object, statement_descriptor: 'DESCRIPTOR_HERE' }).replace(
    'DESCRIPTOR_HERE',
    text,
  );
  await accepted(scene, body);
  await scene.refundedOnce(dispute);
  const page = await fetch(
    `http://127.0.0.1:${scene.rig.port('console')}/alerts/${dispute.alertId}`,
    {
      headers: { authorization: `Bearer ${scene.rig.secrets.console}`, accept: 'text/html' },
    },
  );
  ok(!/<img src=x/.test(await page.text()), 'no element comes out of the text');
}

async function deadlines(scene: Scene): Promise<void> {
  const about = async (hours: number): Promise<Dispute> => {
    const charge = await scene.charge();
    return { charge, alertId: await scene.alertAbout(charge, { deadline_hours: hours }) };
  };
  const [past, minutes, months] = await Promise.all([about(-1), about(5 / 60), about(90 * 24)]);
  for (const dispute of [past, minutes]) {
    await scene.heldFor(dispute);
    const told = await until('somebody is told at once', async () => {
      const messages = await scene.messages(dispute.alertId);
      return messages.length > 0 && messages;
    });
    match(told.join('\n'), /case_held|deadline_near|missed/);
  }
  await scene.refundedOnce(months);
}

async function heldWithoutEffect(
  scene: Scene,
  dispute: Dispute,
  states: readonly string[] = ['UNMATCHED', 'AMBIGUOUS', 'HUMAN'],
): Promise<void> {
  await until(`${dispute.alertId} waits for a person`, async () => {
    const row = await scene.caseOf(dispute.alertId);
    return row !== undefined && states.includes(row.state);
  });
  await until('somebody is told', async () => (await scene.messages(dispute.alertId)).length > 0);
  await scene.noEffect(dispute);
}

async function noIdentifiers(scene: Scene): Promise<void> {
  const nothing = {
    acquirer_reference_number: null,
    authorisation_code: null,
    card_bin: null,
    card_last4: null,
  };
  for (const fields of [nothing, { ...nothing, statement_descriptor: null }]) {
    const charge = await scene.charge();
    await heldWithoutEffect(scene, { charge, alertId: await scene.alertAbout(charge, fields) });
  }
}

async function oddReferences(scene: Scene): Promise<void> {
  const charge = await scene.charge();
  const { acquirer_reference_number: right } = charge;
  for (const arn of [right.slice(0, 22), `${right}7`, `${right.slice(0, 11)} ${right.slice(11)}`]) {
    const alertId = await scene.alertAbout(charge, {
      acquirer_reference_number: arn,
      authorisation_code: null,
      card_bin: null,
      card_last4: null,
    });
    await heldWithoutEffect(scene, { charge, alertId });
  }
}

async function amounts(scene: Scene): Promise<string> {
  const charge = await scene.charge();
  const more = { charge, alertId: await scene.alertAbout(charge, { amount_in_cents: 4_901 }) };
  await scene.heldFor(more);
  const other = await scene.charge();
  const euro = { charge: other, alertId: await scene.alertAbout(other, { currency_code: 'EUR' }) };
  await heldWithoutEffect(scene, euro);
  const yen = await scene.dispute({ amount_in_cents: 4_321, currency: 'JPY' });
  await scene.refundedOnce(yen);
  return 'one cent more, another currency, and yen; text, floats and 2^53 in test/flow/main-job.test.ts';
}

export const EVENT_CASES: readonly FaultCase[] = [
  { id: 'F09', place: 'shared', quick: true, run: fiftyAtOnce },
  { id: 'F10', place: 'shared', quick: true, run: otherBody },
  { id: 'F11', place: 'shared', run: sameContent },
  { id: 'F12', place: 'shared', run: deliveryIds },
  { id: 'F13', place: 'shared', run: newEventSameDelivery },
  { id: 'F14', place: 'shared', run: updatedFirst },
  { id: 'F15', place: 'shared', quick: true, run: olderAfterNewer },
  { id: 'F16', place: 'shared', run: permutations },
  { id: 'F17', place: 'shared', run: oldNews },
  { id: 'F20', place: 'shared', run: (scene) => accepted(scene, harmless()) },
  { id: 'F21', place: 'shared', run: unknownFields },
  { id: 'F23', place: 'shared', run: deadlines },
  { id: 'F24', place: 'shared', run: noIdentifiers },
  { id: 'F25', place: 'shared', run: oddReferences },
  { id: 'F26', place: 'shared', run: amounts },
  { id: 'F27', place: 'shared', quick: true, run: foreign },
  { id: 'F28', place: 'shared', run: hostileText },
];
