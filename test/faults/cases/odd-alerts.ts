/** F22, F62, V1.5.3, V2.2.1: a service that shows values nobody promised, or says 200 and does nothing. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import type { FaultCase } from '../case.ts';
import type { AsideWorld } from '../rig/aside.ts';
import { openAside } from '../rig/aside.ts';
import type { Dispute, Scene } from '../rig/scene.ts';
import { until } from '../rig/until.ts';

type Odd = Readonly<Record<string, unknown>>;

/** Runs in a world aside, which ends however the case ends. */
export function aside(run: (world: AsideWorld) => Promise<string | undefined> | Promise<void>) {
  return async (scene: Scene): Promise<string | undefined> => {
    const world = await openAside(scene);
    try {
      return (await run(world)) ?? undefined;
    } finally {
      await world.close();
    }
  };
}

/** Each is held for a person, loudly, without a call of money or an answer; the one beside them is refunded. */
async function eachHeld(world: AsideWorld, odd: Readonly<Record<string, Odd>>): Promise<void> {
  const { scene } = world;
  const disputes: [string, Dispute][] = [];
  for (const [what, fields] of Object.entries(odd)) {
    disputes.push([what, await world.dispute(fields)]);
  }
  const sound = await world.dispute();
  await world.start('work');
  for (const [what, dispute] of disputes) {
    await scene.reaches(dispute.alertId, 'HUMAN').catch((cause: unknown) => {
      throw new Error(`${what}: ${String(cause)}`, { cause });
    });
    await until(`a person is notified of ${what}`, async () => {
      const told = await scene.messages(dispute.alertId);
      return told.some((message) => message.startsWith('case_held'));
    });
  }
  await scene.refundedOnce(sound);
  for (const [, dispute] of disputes) await scene.noEffect(dispute);
}

const UNKNOWN: Readonly<Record<string, Odd>> = {
  'a status': { status: 'ESCALATED' },
  'an enrolment type': { enrolment_type: 'NETC_ALERT' },
  'no enrolment type': { enrolment_type: 'raw:null' },
  'an outcome': { transaction_refund_outcome: 'PARTLY' },
  'a card scheme': { transaction_card_scheme: 'SCHEME_Z' },
};

async function unknownValues(world: AsideWorld): Promise<string> {
  const { 'no enrolment type': without, ...known } = UNKNOWN;
  // Absent it is no alert of the interface at all: not read, told of, and without effect.
  const broken = await world.dispute(without);
  await eachHeld(world, known);
  await world.scene.noEffect(broken);
  equal(await world.scene.caseOf(broken.alertId), undefined, 'what cannot be read opens no case');
  return `${Object.keys(known).length} unknown values held for a person each; the alert beside them refunded`;
}

const DAY_MS = 86_400_000;

async function improbable(world: AsideWorld): Promise<string> {
  const before = new Date(Date.now() - 30 * DAY_MS).toISOString();
  const odd: Readonly<Record<string, Odd>> = {
    'an amount below nothing': { transaction_amount_in_cents: -4_900 },
    'an amount of nothing': { transaction_amount_in_cents: 0 },
    'no amount': { transaction_amount_in_cents: null },
    'a currency in small letters': { transaction_currency_code: 'usd' },
    'no currency': { transaction_currency_code: null },
    'a currency of four letters': { transaction_currency_code: 'USDX' },
    'a deadline before the creation': { action_required_deadline: before },
  };
  await eachHeld(world, odd);
  return `${Object.keys(odd).length} improbable alerts held for a person each; the alert beside them refunded`;
}

/** As they are written in the answer. */
const NUMBERS: readonly string[] = [
  '1e400',
  '-0',
  '9007199254740993',
  '4900.5',
  '"4900"',
  '4899.99',
  '[4900]',
  'true',
];

/** One number each way: refused, or taken for exactly what stands there. */
async function numbers(world: AsideWorld): Promise<string> {
  const { scene } = world;
  const written = (raw: string): Odd => ({ transaction_amount_in_cents: `raw:${raw}` });
  const exact: Dispute[] = [];
  for (const raw of ['4900', '4900.0', '49e2']) exact.push(await world.dispute(written(raw)));
  const odd: Dispute[] = [];
  for (const raw of NUMBERS) odd.push(await world.dispute(written(raw)));
  await world.start('work');
  for (const dispute of exact) await scene.refundedOnce(dispute);
  const rounded: string[] = [];
  await until('all that can be read are decided', async () => {
    const states = await Promise.all(odd.map(({ alertId }) => scene.caseOf(alertId)));
    return states.every((row) => row === undefined || row.state === 'HUMAN');
  });
  for (const [index, dispute] of odd.entries()) {
    const ours = await scene.rig.processor.ours(dispute.charge.reference);
    if (ours.length > 0) rounded.push(`${NUMBERS[index]} as ${ours[0]?.amountMinor}`);
    await scene.noEffect(dispute);
  }
  deepEqual(rounded, [], 'nothing is rounded');
  const told = await world.database.sql(`select 1 from notification where severity = 'error'`);
  ok(told.length > 0, 'somebody is told');
  return `${odd.length} numbers that are no whole amount moved nothing; 4900, 4900.0 and 49e2 are 49.00 each`;
}

/** 200, and the alert in the answer is as open as before: read, and answered again. */
async function swallowed(world: AsideWorld): Promise<string> {
  const { scene, service } = world;
  const dispute = await world.dispute();
  service.swallow(1);
  await world.start('work');
  await until('the first answer was swallowed', async () => service.patches.length === 1);
  const readBefore = service.reads(dispute.alertId);
  const startedMs = performance.now();
  await scene.refundedOnce(dispute, 240_000);
  deepEqual(
    service.patches.map(({ action, http_status: status }) => `${action} ${status}`),
    ['REFUND 202', 'REFUND 200'],
  );
  ok(service.reads(dispute.alertId) > readBefore, 'the alert was read in between');
  const [row] = await world.database.sql(
    `select count(*)::int as early from audit where alert_id = $1 and to_state = 'DECLARED_REFUND'`,
    [dispute.alertId],
  );
  match(String(row?.['early']), /^1$/);
  return `declared ${((performance.now() - startedMs) / 1000).toFixed(0)} s after a 200 that did nothing, by a second answer`;
}

export const ODD_ALERT_CASES: readonly FaultCase[] = [
  { id: 'F22', place: 'shared', run: aside(unknownValues) },
  { id: 'F62', place: 'shared', run: aside(swallowed) },
  { id: 'V1.5.3', place: 'shared', run: aside(numbers) },
  { id: 'V2.2.1', place: 'shared', run: aside(improbable) },
];
