/**
 * What one case works with: its own charges and alerts in the shared world, and the words to say what
 * must become of them. The oracle is the processor's ledger and the sandbox's PATCH log.
 */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import type { ChargeFields, LedgerEntry } from './processor-types.ts';
import type { ChargeTraits, Patch, Thing } from './remote.ts';
import type { Rig } from './rig.ts';
import type { Answered, Outgoing } from './sign.ts';
import { digest, send } from './sign.ts';
import type { SharedTime } from './time.ts';
import { PATIENCE_MS, until } from './until.ts';

/** A charge and the alert about it. */
export interface Dispute {
  readonly charge: ChargeFields;
  readonly alertId: string;
}

/** Fields of a case row that cases look at. */
export interface CaseRow {
  readonly state: string;
  readonly hold_reason: string | null;
  readonly movement_id: string | null;
}

/** One case's view of the world. */
export interface Scene {
  readonly rig: Rig;
  readonly time: SharedTime;
  /** Alerts of this case, for the report of a failure. */
  readonly alerts: readonly string[];
  /** A charge at the processor, captured, 49.00 USD. */
  charge(fields?: Partial<ChargeFields>, traits?: ChargeTraits): Promise<ChargeFields>;
  /** An alert of the network about a charge. Its webhook is on its way when this resolves. */
  alertAbout(charge: ChargeFields, fields?: Record<string, unknown>): Promise<string>;
  /** The alert as the service shows it. */
  shown(alertId: string): Promise<Thing>;
  /** Both. */
  dispute(fields?: Partial<ChargeFields>, traits?: ChargeTraits): Promise<Dispute>;
  caseOf(alertId: string): Promise<CaseRow | undefined>;
  /** Waits for the state; fails at once in another final one. */
  reaches(alertId: string, state: string, limitMs?: number): Promise<CaseRow>;
  /** Refunded exactly once by us, and REFUND declared exactly once. */
  refundedOnce(dispute: Dispute, limitMs?: number): Promise<void>;
  /** Held for a person, with this reason where one is given; no money, no answer. */
  heldFor(dispute: Dispute, reason?: string): Promise<void>;
  /** 0 refund calls, 0 PATCH. */
  noEffect(dispute: Dispute): Promise<void>;
  /** PATCH calls that changed the alert. */
  effective(alertId: string): Promise<Patch[]>;
  /** Messages to people about the alert, or of the kind. */
  messages(about: string): Promise<string[]>;
  /** Sends a body to the listener, signed by the webhook secret unless `headers` has a signature. */
  post(body: string | Buffer, how?: Partial<Outgoing>): Promise<Answered>;
  signature(body: string | Buffer, how?: { t?: string; secret?: string }): string;
  nowSeconds(): number;
}

const FINAL: ReadonlySet<string> = new Set([
  'DECLARED_REFUND',
  'DECLARED_ACCEPT',
  'CLOSED_REMOTE',
  'CLOSED_INVALID',
  'RECONCILED_RDR',
  'CONFLICT',
]);

const DAY_MS = 86_400_000;

/** Makes the scene of one case. */
export function createScene(rig: Rig, time: SharedTime): Scene {
  const alerts: string[] = [];
  const { sandbox, processor } = rig;
  const scene: Scene = {
    rig,
    time,
    alerts,
    async charge(fields = {}, traits): Promise<ChargeFields> {
      const charge: ChargeFields = {
        reference: `ch_${digits(7)}x${digits(7)}`,
        status: 'captured',
        amount_in_cents: 4_900,
        currency: 'USD',
        disputed: false,
        authorised_at: new Date(Date.now() + rig.aheadMs() - 2 * DAY_MS).toISOString(),
        acquirer_reference_number: digits(23),
        authorisation_code: digits(6),
        card_bin: '411111',
        card_last4: digits(4),
        ...fields,
      };
      await processor.setCharge(charge, traits);
      return charge;
    },
    async alertAbout(charge, fields = {}): Promise<string> {
      const { amount_in_cents, authorised_at, acquirer_reference_number } = charge;
      const { id } = await sandbox.post('/alerts', {
        amount_in_cents,
        currency_code: charge.currency,
        authorised_at,
        acquirer_reference_number,
        authorisation_code: charge.authorisation_code,
        card_bin: charge.card_bin,
        card_last4: charge.card_last4,
        match: 'never',
        ...fields,
      });
      alerts.push(id);
      await rig.neighbour?.dispute(charge, id, rig.aheadMs());
      return id;
    },
    async shown(alertId): Promise<Thing> {
      const response = await fetch(`${sandbox.url}/v1/alerts/${alertId}`, {
        headers: { authorization: `Bearer ${rig.secrets.apiKey}` },
      });
      equal(response.status, 200, 'the sandbox shows the alert');
      return (await response.json()) as Thing;
    },
    async dispute(fields, traits): Promise<Dispute> {
      const charge = await scene.charge(fields, traits);
      return { charge, alertId: await scene.alertAbout(charge) };
    },
    async caseOf(alertId): Promise<CaseRow | undefined> {
      const rows = await rig.sql(
        'select state, hold_reason, movement_id from alert_case where alert_id = $1',
        [alertId],
      );
      return rows[0] as CaseRow | undefined;
    },
    async reaches(alertId, state, limitMs = PATIENCE_MS): Promise<CaseRow> {
      let other = '';
      const row = await until(
        `${alertId} is ${state}`,
        async () => {
          const now = await scene.caseOf(alertId);
          if (now === undefined || now.state === state) return now;
          other = FINAL.has(now.state) ? now.state : '';
          return other === '' ? undefined : now;
        },
        limitMs,
      );
      ok(row.state === state, `${alertId} ended as ${other}, not as ${state}`);
      return row;
    },
    async refundedOnce(dispute, limitMs): Promise<void> {
      await scene.reaches(dispute.alertId, 'DECLARED_REFUND', limitMs);
      expectOneRefund(dispute, await processor.ours(dispute.charge.reference));
      const answers = await scene.effective(dispute.alertId);
      deepEqual(
        answers.map(({ action }) => action),
        ['REFUND'],
        'exactly one REFUND took effect at the service',
      );
    },
    async heldFor(dispute, reason): Promise<void> {
      const row = await scene.reaches(dispute.alertId, 'HUMAN');
      if (reason !== undefined) equal(row.hold_reason, reason);
      deepEqual(await processor.ours(dispute.charge.reference), [], 'no money moved');
      deepEqual(await sandbox.patches(dispute.alertId), [], 'nothing was declared');
    },
    async noEffect({ charge, alertId }): Promise<void> {
      equal(await processor.callsFor(charge.reference), 0, 'no refund call was made');
      deepEqual(await sandbox.patches(alertId), [], 'no PATCH was sent');
    },
    async effective(alertId): Promise<Patch[]> {
      return (await sandbox.patches(alertId)).filter(({ http_status: status }) => status === 200);
    },
    async messages(about): Promise<string[]> {
      const rows = await rig.sql(
        'select kind, text from notification where alert_id = $1 or kind = $1 order by id',
        [about],
      );
      return rows.map(({ kind, text }) => `${String(kind)}: ${String(text)}`);
    },
    async post(body, how = {}): Promise<Answered> {
      return await send({
        port: rig.port('serve'),
        body,
        ...how,
        headers: {
          'content-type': 'application/json',
          'x-signature': scene.signature(body),
          ...how.headers,
        },
      });
    },
    signature(body, { t = String(scene.nowSeconds()), secret = rig.secrets.webhook } = {}): string {
      return `t=${t},v1=${digest(secret, t, body)}`;
    },
    nowSeconds: () => Math.floor((Date.now() + rig.aheadMs()) / 1000),
  };
  return scene;
}

function expectOneRefund({ charge }: Dispute, ours: LedgerEntry[]): void {
  equal(ours.length, 1, `the processor executed ${ours.length} refunds, not one`);
  equal(ours[0]?.amountMinor, charge.amount_in_cents, 'the whole charge');
}

let counter = 0;

/** An event of the interface, as text. */
export function eventText(
  object: Thing | Record<string, unknown>,
  fields: { id?: string; type?: string } = {},
): string {
  counter += 1;
  return JSON.stringify({
    id: fields.id ?? `evt_fault_${process.pid}_${counter}_${digits(6)}`,
    type: fields.type ?? 'alert.updated',
    created_at: new Date().toISOString(),
    data: { object },
    api_version: 'v1',
  });
}

export function digits(count: number): string {
  return Array.from({ length: count }, () => String(randomInt(10))).join('');
}
