/**
 * Guarantee: orders fill the evidence index in their own transaction, what is judged is what the index
 * holds, and both forget: after 530 days, and when a person is erased.
 */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gatherEvidence } from '../../../src/alerts/decide/gather-evidence.ts';
import { shippedRules } from '../../../src/alerts/evidence/evidence-rules.ts';
import type { Judgement } from '../../../src/alerts/evidence/judge-subject.ts';
import { judgeSubject } from '../../../src/alerts/evidence/judge-subject.ts';
import type { Subject } from '../../../src/alerts/evidence/payment.ts';
import { carryKeys } from '../../../src/base/db/carried-keys.ts';
import { createFixedClock, nowDate } from '../../../src/base/kernel/clock.ts';
import { parseDataKeys } from '../../../src/base/kernel/data-keys.ts';
import { openSettings } from '../../../src/base/kernel/setting.ts';
import { evidenceCommands } from '../../../src/capabilities/evidence/commands.ts';
import {
  compareWithLookups,
  countLackingFields,
  countVerdicts,
} from '../../../src/capabilities/evidence/evidence-month.store.ts';
import { createEvidenceJudge } from '../../../src/capabilities/evidence/judge-evidence.job.ts';
import { markEvidence } from '../../../src/capabilities/evidence/mark-evidence.store.ts';
import { changeOrder } from '../../../src/orders/change-order.ts';
import { findEvidenceKey, resealEvidenceKey } from '../../../src/orders/evidence-key.store.ts';
import { createEvidenceFill } from '../../../src/orders/fill-evidence.job.ts';
import { parseProgrammes } from '../../../src/orders/programme.ts';
import { runOn } from '../../../src/people/cli/lifecycle.ts';
import { eraseCustomer } from '../../../src/running/privacy/erase.ts';
import { deleteOld } from '../../../src/running/privacy/retention.store.ts';
import { IDENTITY_BRAND_TOKENS } from '../../../src/service/wire/brand-tokens.ts';
import { startConsole } from '../../integration/console/support.ts';
import type { IntakeWorld } from '../../integration/feed/support.ts';
import {
  createIntakeWorld,
  INTEGRATION,
  makeOrder,
  ORGANISATION,
} from '../../integration/feed/support.ts';
import { NO_POLICIES } from '../../support/no-policies.ts';
import { runCommand } from '../../support/run-command.ts';

let world: IntakeWorld;
beforeAll(async () => {
  world = await createIntakeWorld();
});
afterAll(() => world.database.drop());

const DAY_MS = 86_400_000;
const TODAY = '2026-11-21';

function daysAgo(days: number): string {
  return new Date(Date.parse(TODAY) - days * DAY_MS).toISOString();
}

interface Person {
  readonly name: string;
  readonly email: string;
}
const ADA: Person = { name: 'ada', email: 'ada@customers.example' };
const BOB: Person = { name: 'bob', email: 'bob@customers.example' };

/** An order of somebody, paid so many days ago. */
function orderOf(
  { name, email }: Person,
  reference: string,
  payment: { readonly days: number; readonly order?: object; readonly transaction?: object },
): unknown {
  const at = daysAgo(payment.days);
  return makeOrder(reference, {
    order_datetime: at,
    customer_email: email,
    customer_account_id: `account-of-${name}`,
    device_ip_address: name === 'ada' ? '203.0.113.7' : '203.0.113.8',
    device_id: `device-of-${name}-0123456789`,
    items: [{ reference_id: `${reference}-font`, name: 'A font' }],
    transactions: [
      {
        reference_id: `ch-${reference}`,
        amount_in_cents: 5_000,
        currency: 'EUR',
        payment_method_type: 'CARD',
        authorisation_status: 'SETTLED',
        authorised_at: at,
        settlement_datetime: at,
        descriptor: 'SHOP*FONTS',
        payment_method_reference_id: `card-of-${name}`,
        payment_method_card_brand: 'SCHEME_A',
        payment_method_card_last_4: '4242',
        authorisation_code: 'A1B2C3',
        acquirer_reference_number: arnOf(reference),
        ...payment.transaction,
      },
    ],
    ...payment.order,
  });
}

function arnOf(reference: string): string {
  return Buffer.from(reference).toString('hex').padEnd(23, '0').slice(0, 23);
}

const SUBJECT: Subject = {
  kind: 'representment',
  id: 'rep_1',
  scheme: 'SCHEME_A',
  reason: '10.4',
  day: TODAY,
  isFraudNotice: false,
};

async function judge(reference: string, subject: Partial<Subject> = {}): Promise<Judgement> {
  return await judgeSubject(world.database.db, ORGANISATION, {
    subject: { ...SUBJECT, ...subject },
    chargeReference: reference,
    rules: shippedRules(),
  });
}

async function references(): Promise<string[]> {
  const { rows } = await sql<{ reference: string }>`
    select reference from payment_evidence order by reference`.execute(world.database.db);
  return rows.map(({ reference }) => reference);
}

describe('the index', () => {
  it('is filled by the intake, and enough for a verdict', async () => {
    await world.accept(
      orderOf(ADA, 'ada-1', { days: 200 }),
      orderOf(ADA, 'ada-2', { days: 160 }),
      orderOf(ADA, 'ada-3', { days: 10 }),
      orderOf(BOB, 'bob-1', { days: 200 }),
      orderOf(BOB, 'bob-2', { days: 10 }),
    );
    const ada = await judge('ch-ada-3');
    expect(ada.ce3).toMatchObject({
      verdict: 'qualifies',
      why: '2 earlier payments agree in IP address and device',
      missing: [],
    });
    expect(ada.ce3.payments.map(({ reference }) => reference)).toEqual(['ch-ada-2', 'ch-ada-1']);
    const bob = await judge('ch-bob-2');
    expect(bob.ce3).toMatchObject({
      verdict: 'not',
      why: '1 of 1 earlier payments may count, 2 are needed',
    });
  });

  it('holds hashes, and nothing that names anybody', async () => {
    const { rows } = await sql<{ text: string }>`
      select string_agg(e::text, ' ') as text from payment_evidence e`.execute(world.database.db);
    expect(rows[0]?.text).not.toMatch(/@|account-of|203\.0|card-of|device-of/);
    expect(rows[0]?.text).toContain('SHOP*F');
  });

  it('says nothing about another organisation', async () => {
    const other = await judgeSubject(world.database.db, 'org_other', {
      subject: SUBJECT,
      chargeReference: 'ch-ada-3',
      rules: shippedRules(),
    });
    expect(other.ce3).toMatchObject({ verdict: 'not', why: 'no order tells of this payment' });
  });

  it('is filled from what an older version stored, once, a slice at a time', async () => {
    const before = await sql<{ text: string }>`
      select string_agg(e::text, ' ' order by reference) as text from payment_evidence e`.execute(
      world.database.db,
    );
    await sql`delete from payment_evidence`.execute(world.database.db);
    const fill = createEvidenceFill({
      db: world.database.db,
      clock: world.clock,
      organisationId: ORGANISATION,
    });
    expect(await fill()).toBe(5);
    const after = await sql<{ text: string }>`
      select string_agg(e::text, ' ' order by reference) as text from payment_evidence e`.execute(
      world.database.db,
    );
    expect(after.rows).toEqual(before.rows);
    expect(await fill()).toBe(0);
  });

  it('follows what a change says about a delivery', async () => {
    const delivery = { reference_id: 'd-1', type: 'PHYSICAL', physical_shipping_status: 'SHIPPED' };
    await world.accept(
      orderOf(ADA, 'ada-4', {
        days: 5,
        order: { deliveries: [delivery] },
        transaction: { billing_address: { country: 'US' } },
      }),
    );
    const scheme = { scheme: 'SCHEME_B', reason: '4837' };
    expect((await judge('ch-ada-4', scheme)).fpt).toMatchObject({
      verdict: 'not',
      why: 'nothing is known of delivery',
      missing: ['deliveries[].physical_shipping_tracking_number'],
    });
    const changed = await world.database.db.transaction().execute((trx) =>
      changeOrder(trx, {
        order: { organisationId: ORGANISATION, integrationId: INTEGRATION, referenceId: 'ada-4' },
        change: {
          deliveries: [{ reference_id: 'd-1', physical_shipping_tracking_number: 'T1' }],
        },
        source: 'merchant',
        now: nowDate(world.clock),
      }),
    );
    expect(changed).toMatchObject({ kind: 'changed' });
    expect((await judge('ch-ada-4', scheme)).fpt).toMatchObject({
      verdict: 'qualifies',
      why: 'device, delivery and identity are known, and an earlier payment bears them out',
    });
  });
});

async function notice(
  reference: string,
  given: { readonly id: string; readonly revoked: boolean; readonly days: number },
): Promise<void> {
  await sql`
    insert into scheme_notice (organisation_id, id, scheme, notice_type, is_revoked, acquirer_reference_number, snapshot, snapshot_hash, source, first_seen_at, changed_at, updated_at)
    values (${ORGANISATION}, ${given.id}, 'SCHEME_A', 'FRAUD_NOTICE', ${given.revoked}, ${arnOf(reference)}, '{}', '', 'poll', ${daysAgo(given.days)}, ${daysAgo(given.days)}, ${daysAgo(given.days)})
    on conflict (organisation_id, id) do update set is_revoked = excluded.is_revoked`.execute(
    world.database.db,
  );
}

describe('what was reported about an earlier payment', () => {
  it('counts against it, and leaves a doubt when it was taken back', async () => {
    await notice('ada-1', { id: 'schntc_1', revoked: false, days: 270 });
    const judged = await judge('ch-ada-3');
    expect(judged.ce3.verdict).toBe('not');
    expect(judged.ce3.payments.at(-1)?.standing.reasons).toEqual(['fraud was reported on it']);
    await notice('ada-1', { id: 'schntc_1', revoked: true, days: 270 });
    expect((await judge('ch-ada-3')).ce3.verdict).toBe('edge');
  });

  it('counts when an alert of no known charge names its ARN, until the alert is withdrawn', async () => {
    const { db } = world.database;
    // A notice about the other earlier payment was taken back: without this alert it is at the edge.
    const at = daysAgo(270);
    await sql`
      insert into alert (organisation_id, id, status, enrolment_type, acquirer_reference_number, snapshot, snapshot_hash, source, first_seen_at, changed_at, created_at, updated_at)
      values (${ORGANISATION}, 'netalrt_rdr', 'RESOLVED', 'NETB_RDR', ${arnOf('ada-2')}, '{}', '', 'poll', ${at}, ${at}, ${at}, ${at})`.execute(
      db,
    );
    const judged = await judge('ch-ada-3');
    expect(judged.ce3.verdict).toBe('not');
    const reasons = judged.ce3.payments.find(({ reference }) => reference === 'ch-ada-2')?.standing;
    expect(reasons?.reasons).toEqual(['it was disputed']);
    // Its case has been matched to another charge: then it is about that one.
    await sql`
      insert into alert_case (organisation_id, alert_id, state, charge_reference, opened_at, deadline_at, changed_at)
      values (${ORGANISATION}, 'netalrt_rdr', 'RECONCILED_RDR', 'ch-bob-1', ${at}, ${at}, ${at})`.execute(
      db,
    );
    expect((await judge('ch-ada-3')).ce3.verdict).toBe('edge');
    await sql`update alert_case set charge_reference = null`.execute(db);
    expect((await judge('ch-ada-3')).ce3.verdict).toBe('not');
    expect(await markEvidence(db, ORGANISATION, nowDate(world.clock))).toBe(1);
    await sql`update payment_evidence set traits = traits & ~64`.execute(db);
    await sql`update alert set status = 'INVALID'`.execute(db);
    expect((await judge('ch-ada-3')).ce3.verdict).toBe('edge');
    await sql`delete from alert_case`.execute(db);
    await sql`delete from alert`.execute(db);
  });

  it('stays known when what told of it is deleted', async () => {
    const { db } = world.database;
    await notice('ada-1', { id: 'schntc_1', revoked: false, days: 270 });
    expect(await markEvidence(db, ORGANISATION, nowDate(world.clock))).toBe(1);
    expect(await markEvidence(db, ORGANISATION, nowDate(world.clock))).toBe(0);
    await sql`delete from scheme_notice`.execute(db);
    expect((await judge('ch-ada-3')).ce3.verdict).toBe('not');
    // Neither does the order take it back.
    await sql`update evidence_key set filled_to = 0, filled_at = null`.execute(db);
    await createEvidenceFill({ db, clock: world.clock, organisationId: ORGANISATION })();
    expect((await judge('ch-ada-3')).ce3.verdict).toBe('not');
    await sql`update payment_evidence set traits = traits & ~128`.execute(db);
  });
});

describe('judgements', () => {
  it('are kept once each, and compared with what came of lookups', async () => {
    const { db } = world.database;
    const lookups = [
      ['lkup_1', 'NETB_ORDER_INSIGHT', 'SUCCEEDED', 'ch-ada-3'],
      ['lkup_2', 'NETB_ORDER_INSIGHT', 'FAILED', 'ch-bob-2'],
      ['lkup_3', 'NETB_ORDER_INSIGHT', 'SUCCEEDED', 'ch-bob-2'],
      ['lkup_4', 'NETA_FIRST_PARTY_TRUST', 'PENDING', 'ch-ada-4'],
      ['lkup_5', 'NETB_COMPELLING_EVIDENCE_3', 'NOT_ATTEMPTED', 'ch-ada-3'],
      ['lkup_6', 'NETB_ORDER_INSIGHT', 'FAILED', null],
    ] as const;
    for (const [id, type, deflection, charge] of lookups) {
      await sql`
        insert into lookup (organisation_id, id, type, deflection_status, integration_transaction_id, snapshot, snapshot_hash, source, created_at, first_seen_at, changed_at, updated_at)
        values (${ORGANISATION}, ${id}, ${type}, ${deflection}, ${charge}, '{}', '', 'poll', ${TODAY}, ${TODAY}, ${TODAY}, ${TODAY})`.execute(
        db,
      );
    }
    const keep = createEvidenceJudge({
      db,
      clock: world.clock,
      organisationId: ORGANISATION,
      rules: shippedRules(),
    });
    expect(await keep()).toBe(5);
    expect(await keep()).toBe(0);
    const month = { organisationId: ORGANISATION, month: '2026-11' };
    expect(await compareWithLookups(db, month)).toEqual([
      { programme: 'ce3', verdict: 'not', outcome: 'deflected', count: 1 },
      { programme: 'ce3', verdict: 'not', outcome: 'not deflected', count: 1 },
      { programme: 'ce3', verdict: 'qualifies', outcome: 'deflected', count: 1 },
      { programme: 'fpt', verdict: 'qualifies', outcome: 'not decided', count: 1 },
    ]);
    expect(await countVerdicts(db, month)).toContainEqual({
      programme: 'ce3',
      subject: 'lookup',
      verdict: 'qualifies',
      count: 2,
    });
    expect(await countVerdicts(db, { ...month, month: '2026-10' })).toEqual([]);
  });

  it('count the fields that were lacking', async () => {
    const { db } = world.database;
    await world.accept(
      orderOf(BOB, 'bob-3', { days: 190, order: { device_ip_address: undefined } }),
      orderOf(BOB, 'bob-4', { days: 2, order: { device_id: 'short' } }),
    );
    await sql`
      insert into representment (organisation_id, id, transaction_reference_id, snapshot, snapshot_hash, source, created_at, first_seen_at, changed_at, updated_at)
      values (${ORGANISATION}, 'rep_9', 'ch-bob-4', '{"dispute_schema": "SCHEME_A", "dispute_reason_code": "10.4"}', '', 'poll', ${TODAY}, ${TODAY}, ${TODAY}, ${TODAY})`.execute(
      db,
    );
    const keep = createEvidenceJudge({
      db,
      clock: world.clock,
      organisationId: ORGANISATION,
      rules: shippedRules(),
    });
    expect(await keep()).toBe(1);
    // With the address of bob-3, bob-1 and bob-3 would both agree in address and account.
    const month = { organisationId: ORGANISATION, month: '2026-11' };
    expect(await countLackingFields(db, month)).toContainEqual({
      programme: 'ce3',
      field: 'device_ip_address',
      count: 1,
    });
  });
});

describe('an alert that is decided', () => {
  it('carries the verdict and its reason; nothing is known without its payment', async () => {
    const gather = (charge: string | null): ReturnType<typeof gatherEvidence> =>
      gatherEvidence(
        { db: world.database.db, organisationId: ORGANISATION },
        {
          claim: { charge_reference: charge, opened_at: nowDate(world.clock) },
          alert: {
            id: 'netalrt_1',
            card_scheme: 'SCHEME_A',
            reason_code: '10.4',
            created_at: null,
          },
        },
      );
    expect(await gather('ch-ada-3')).toEqual({
      ce3: 'qualifies',
      ce3Why: '2 earlier payments agree in IP address and device',
      fpt: 'not',
      fptWhy: 'it is of SCHEME_A, not SCHEME_B',
    });
    expect(await gather('ch-unknown')).toBeNull();
    expect(await gather(null)).toBeNull();
  });
});

describe('the pages', () => {
  it('show the month, each dispute with its reasons, and what orders lacked', async () => {
    const { db } = world.database;
    const clock = createFixedClock(nowDate(world.clock).toISOString());
    const site = await startConsole(db, clock, { organisationId: ORGANISATION });
    await sql`
      insert into alert (organisation_id, id, status, card_scheme, reason_code, snapshot, snapshot_hash, source, created_at, first_seen_at, changed_at, updated_at)
      values (${ORGANISATION}, 'netalrt_1', 'ACTION_REQUIRED', 'SCHEME_A', '10.4', '{}', '', 'poll', ${TODAY}, ${TODAY}, ${TODAY}, ${TODAY})`.execute(
      db,
    );
    await sql`
      insert into alert_case (organisation_id, alert_id, state, charge_reference, opened_at, deadline_at, changed_at, next_action_at)
      values (${ORGANISATION}, 'netalrt_1', 'HUMAN', 'ch-ada-3', ${TODAY}, '2026-11-23', ${TODAY}, '2026-11-23')`.execute(
      db,
    );
    try {
      const { cookie } = await site.signIn();
      const read = async (path: string): Promise<string> =>
        (await (await site.get(path, { cookie })).text()).replaceAll(/<[^>]+>|\s+/g, ' ');
      const month = await read('/evidence?month=2026-11');
      expect(month).toContain('device_ip_address');
      expect(month).toMatch(/We said\s+deflected\s+not deflected\s+not decided\s+not tried/);
      expect(month).toMatch(/qualifies\s+1\s+0\s+0\s+0\s+at the edge\s+0/);
      await sql`update evidence_judgement set ce3 = 'elsewhere', fpt = 'elsewhere', judged_at = '2026-10-05T00:00:00Z'
        where subject_id = 'lkup_5'`.execute(db);
      const elsewhere = await read('/evidence?month=2026-10');
      expect(elsewhere).toContain('No judgement of this month is about one of the programmes');
      expect(elsewhere).not.toContain('Nothing has been judged');
      expect(await read('/evidence?month=2026-09')).toContain('Nothing has been judged');
      const one = await read('/evidence/lookup/lkup_1');
      expect(one).toMatch(/2 earlier payments agree in IP address and device/i);
      expect(one).toMatch(
        /ch-ada-2\s+2026.06.14\s+counts\s+The same:\s+account, IP address, device/,
      );
      expect(await read('/alerts/netalrt_1')).toMatch(/Evidence\s+If it becomes a dispute/);
      expect(await read('/orders')).toContain('Fields that would have won disputes this month');
      expect((await site.get('/evidence?month=2026-13', { cookie })).status).toBe(400);
      expect((await site.get('/evidence/alert/netalrt_9', { cookie })).status).toBe(404);
      expect((await site.get('/evidence/movement/x', { cookie })).status).toBe(404);
    } finally {
      await site.close();
      await sql`delete from alert_case`.execute(db);
    }
  });
});

describe('forestall evidence explain', () => {
  it('of an id that is not known is a wrong argument, as of every command', async () => {
    const { db, clock, organisationId, integrationId } = world.context;
    const programmes = parseProgrammes([]);
    const context = {
      db,
      clock,
      organisationId,
      integrationId,
      programmes,
      close: async () => undefined,
    };
    const settings = openSettings({});
    const brands = IDENTITY_BRAND_TOKENS;
    const given = { settings, brands, eventKinds: [], ...NO_POLICIES };
    const run = await runCommand(
      (program) => {
        for (const { register } of evidenceCommands) {
          register(program, {
            onDatabase: (_flags, work) =>
              runOn(
                async () => context,
                async (open) => void (await work({ ...open, ...given })),
              ),
            onSettings: () => Promise.reject(new Error('no command of evidence is without rows')),
            onPartner: () => Promise.reject(new Error('no command of evidence asks the service')),
            onInstallation: () =>
              Promise.reject(new Error('no command of evidence opens databases')),
          });
        }
      },
      ['evidence', 'explain', 'netalrt_9'],
    );
    process.exitCode = undefined;
    expect(run).toMatchObject({
      out: '',
      error:
        'netalrt_9 is not known here, or no order of yours tells of its payment. Check the id.',
      status: 2,
    });
  });
});

describe('the secret of the hashes', () => {
  it('stays the same through sealing, rotation and opening, and lies sealed', async () => {
    const { db } = world.database;
    const key = (name: string, byte: number): string =>
      `${name}:${Buffer.from(`${name}-${byte}`.padEnd(32, 'k')).toString('base64')}`;
    // A key is no value that can be compared: its bytes are.
    const bytesOf = async (from: typeof db): Promise<Buffer | undefined> =>
      (await findEvidenceKey(from, ORGANISATION))?.secret.export();
    const plain = await bytesOf(db);
    expect(plain).toHaveLength(32);
    const stages = [key('first', 1), [key('second', 2), key('first', 1)].join(',')];
    for (const text of stages) {
      const keys = parseDataKeys(text);
      await resealEvidenceKey(db, ORGANISATION, keys);
      const stored = await db.selectFrom('evidence_key').selectAll().executeTakeFirstOrThrow();
      expect(stored.key_id).toBe(keys.sealing?.id);
      expect(stored.secret.includes(plain ?? Buffer.alloc(1))).toBe(false);
      const carrying = carryKeys(keys).reduce((handle, each) => handle.withPlugin(each), db);
      expect(await bytesOf(carrying)).toEqual(plain);
    }
    await expect(findEvidenceKey(db, ORGANISATION)).rejects.toThrow('FORESTALL_DATA_KEYS');
    await resealEvidenceKey(db, ORGANISATION, parseDataKeys(`open,${key('second', 2)}`));
    expect(await bytesOf(db)).toEqual(plain);
  });
});

describe('forgetting', () => {
  it('begins after 530 days, and not a day earlier', async () => {
    const { db } = world.database;
    await sql`update payment_evidence set day = ${daysAgo(531)}::date where reference = 'ch-bob-1'`.execute(
      db,
    );
    await sql`update payment_evidence set day = ${daysAgo(530)}::date where reference = 'ch-bob-2'`.execute(
      db,
    );
    await deleteOld(db, 'org_other', { now: nowDate(world.clock) });
    expect(await references()).toContain('ch-bob-1');
    await deleteOld(db, ORGANISATION, { now: nowDate(world.clock) });
    expect(await references()).not.toContain('ch-bob-1');
    expect(await references()).toContain('ch-bob-2');
    // Nor is such an order taken into the index at all.
    await world.accept(orderOf(BOB, 'bob-5', { days: 531 }), orderOf(BOB, 'bob-6', { days: 529 }));
    expect(await references()).not.toContain('ch-bob-5');
    expect(await references()).toContain('ch-bob-6');
  });

  it('is complete when a person is erased, also where the order has gone before', async () => {
    const { db } = world.database;
    await sql`update order_record set state = 'CREATED', order_id = 'ord_1', next_attempt_at = null`.execute(
      db,
    );
    await sql`delete from order_record where reference_id = 'ada-1'`.execute(db);
    const erase = (dryRun: boolean): ReturnType<typeof eraseCustomer> =>
      eraseCustomer(db, {
        organisationId: ORGANISATION,
        customerEmail: 'Ada@Customers.example',
        actor: 'operator:test',
        now: nowDate(world.clock),
        dryRun,
      });
    expect((await erase(true)).rows).toMatchObject({ payment_evidence: 4 });
    expect(await references()).toContain('ch-ada-1');
    expect((await erase(false)).rows).toMatchObject({ payment_evidence: 4 });
    expect(await references()).toEqual(['ch-bob-2', 'ch-bob-3', 'ch-bob-4', 'ch-bob-6']);
    // Going through the orders again brings nothing of hers back.
    await sql`update evidence_key set filled_to = 0, filled_at = null`.execute(db);
    await createEvidenceFill({ db, clock: world.clock, organisationId: ORGANISATION })();
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from payment_evidence where reference like 'ch-ada%'
        and num_nonnulls(credential, account, email, ip, address, device, fingerprint) > 0`.execute(
      db,
    );
    expect(rows[0]?.count).toBe(0);
  });
});
