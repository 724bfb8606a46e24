/**
 * Guarantee: sixty months, stored as the rows that the service, the orders and people hand in, come out as a person works them
 * out: counts, base, ratio, the line, the other day of the notices, and whether one is in a programme still.
 */
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { openSettings } from '../../../src/base/kernel/setting.ts';
import type { Cockpit } from '../../../src/capabilities/ratios/cockpit.ts';
import { readCockpit } from '../../../src/capabilities/ratios/cockpit.ts';
import { cockpitDeps } from '../../../src/capabilities/ratios/cockpit-deps.ts';
import { judgeCounts } from '../../../src/capabilities/ratios/roll-up.store.ts';
import { ORGANISATION_SCOPE } from '../../../src/capabilities/ratios/scope.ts';
import { recordCharges } from '../../../src/orders/charge.store.ts';
import { chargesOfOrder } from '../../../src/orders/charge-record.ts';
import { useTestDatabase } from '../../support/database.ts';
import type { GoldenMonth, GoldenRow } from './golden-month-rows.ts';
import { GOLDEN_MONTHS } from './golden-month-rows.ts';

const test = useTestDatabase();

/** References of the payments that a word stands for; rows without a word have none. */
function arnsOf(word: string | undefined, count: number): (string | null)[] {
  const head = word === undefined ? undefined : String(word.charCodeAt(0)).padStart(7, '7');
  return Array.from({ length: count }, (_, n) =>
    head === undefined ? null : `${head}${String(n).padStart(16, '0')}`,
  );
}

const BRANDS = { A: 'visa', B: 'mastercard' } as const;
const STATES = {
  sale: 'SETTLED',
  declined: 'DECLINED',
  voided: 'VOIDED',
  free: 'AUTHORISED',
  authorised: 'AUTHORISED',
} as const;

async function storePayments(
  organisationId: string,
  {
    kind,
    scheme,
    count,
    day,
  }: Extract<GoldenRow, { scheme: 'A' | 'B'; day: string; kind: keyof typeof STATES }>,
): Promise<void> {
  const transactions = Array.from({ length: count }, (_, n) => ({
    reference_id: `${kind}_${scheme}_${day}_${n}`,
    amount_in_cents: kind === 'free' ? 0 : 4_500,
    currency: 'USD',
    authorised_at: `${day}T10:00:00Z`,
    authorisation_status: STATES[kind],
    payment_method_card_brand: BRANDS[scheme],
  }));
  const charges = chargesOfOrder({
    reference_id: `${kind}_${scheme}_${day}`,
    integration_id: 'i',
    transactions,
  });
  await test.db.transaction().execute(async (trx) => {
    for (let start = 0; start < charges.length; start += 1_000) {
      const some = charges.slice(start, start + 1_000);
      await recordCharges(trx, organisationId, { charges: some, now: new Date(day) });
    }
  });
}

async function storeRow(organisationId: string, row: GoldenRow, index: number): Promise<void> {
  const arrival = sql`'webhook', '2026-11-01', '2026-11-01'`;
  const hash = sql`decode(md5(random()::text), 'hex')`;
  switch (row.kind) {
    case 'TC40':
    case 'TC15':
    case 'SAF': {
      const notice = row.kind === 'TC15' ? 'DISPUTE_NOTICE' : 'FRAUD_NOTICE';
      const scheme = row.kind === 'SAF' ? 'SCHEME_B' : 'SCHEME_A';
      await sql`insert into scheme_notice (organisation_id, id, scheme_notice_type, notice_type, scheme, fraud_reported_at, amount_minor, currency,
          acquirer_reference_number, created_at, updated_at, snapshot, snapshot_hash, source, first_seen_at, changed_at)
        select ${organisationId}, ${`schntc_${index}_`} || n, ${row.kind}, ${notice}, ${scheme}, ${row.day}, 1000, 'USD', arn,
          ${row.received ?? row.day}, ${row.received ?? row.day}, '{}', ${hash}, ${arrival}
        from unnest(${arnsOf(row.on, row.count)}::text[]) with ordinality as r(arn, n)`.execute(
        test.db,
      );
      return;
    }
    case 'chargeback': {
      const snapshot = JSON.stringify({
        dispute_schema: `SCHEME_${row.scheme}`,
        disputed_at: row.day,
        dispute_reason_code: row.reason,
      });
      await sql`insert into representment (organisation_id, id, dispute_stage, acquirer_reference_number, amount_minor, currency,
          created_at, updated_at, snapshot, snapshot_hash, source, first_seen_at, changed_at)
        select ${organisationId}, ${`rep_${index}_`} || n, 'CHARGEBACK', arn, ${row.cents ?? 4_500}::int, 'USD', ${row.day}, ${row.day},
          ${snapshot}::jsonb, ${hash}, ${arrival}
        from unnest(${arnsOf(row.on, row.count)}::text[]) with ordinality as r(arn, n)`.execute(
        test.db,
      );
      return;
    }
    case 'alert': {
      await sql`insert into alert (organisation_id, id, status, enrolment_type, refund_outcome, card_scheme, reason_code, acquirer_reference_number,
          amount_minor, currency, created_at, updated_at, snapshot, snapshot_hash, source, first_seen_at, changed_at)
        select ${organisationId}, ${`netalrt_${index}_`} || n, 'RESOLVED', 'NETA_ALERT', 'NOT_REFUNDED', 'SCHEME_A', ${row.reason}, arn,
          4500, 'USD', ${row.day}, ${row.day}, '{}', ${hash}, ${arrival}
        from unnest(${arnsOf(row.on, row.count)}::text[]) with ordinality as r(arn, n)`.execute(
        test.db,
      );
      return;
    }
    default:
      await storePayments(organisationId, row);
  }
}

async function look(golden: GoldenMonth, organisationId: string): Promise<Cockpit> {
  for (const [index, row] of (golden.rows ?? []).entries())
    await storeRow(organisationId, row, index);
  for (const [month, scheme, measure, value] of golden.reported ?? []) {
    await sql`insert into programme_reported values (${organisationId}, ${`${month}-01`}, ${scheme}, 'organisation', '', ${measure}, ${value}, 'x', 'kim', now())`.execute(
      test.db,
    );
  }
  while ((await judgeCounts(test.db, organisationId)) > 0);
  const given = { FORESTALL_MONITORING_REGION: golden.region };
  return await readCockpit(
    cockpitDeps({ db: test.db, organisationId, settings: openSettings(given) }),
    ORGANISATION_SCOPE,
    new Date(golden.now),
  );
}

/** What the cockpit says of the month, in the words of a golden one. */
function saidOf(golden: GoldenMonth, { programmes, past }: Cockpit): Partial<GoldenMonth> {
  const { programme: id, reading: name, month } = golden;
  const view = [...programmes, ...past].find(({ programme }) => programme.id === id);
  const ours = view?.readings.find(({ reading }) => reading.name === name);
  const reported = view?.reported.find((each) => each.month === month);
  const state =
    month === undefined ? ours : reported?.readings.find(({ reading }) => reading.name === name);
  const { inside } = view ?? {};
  const byReport = month === undefined ? ours?.otherDating?.count : undefined;
  const common = {
    ...(state !== undefined && state.missing.length > 0 && { missing: state.missing }),
    ...(golden.inside !== undefined && {
      inside: inside === undefined ? null : ([inside.since, inside.cleanMonths] as const),
    }),
  };
  if (state === undefined) return { count: null, ...common };
  const { count, base, ratioPercent, crossed } = state;
  const ratio = ratioPercent?.toFixed(4) ?? null;
  return {
    count,
    base,
    ratio,
    crossed: crossed?.name ?? null,
    ...(byReport !== undefined && { byReport }),
    ...common,
  };
}

describe('golden months', () => {
  it('are sixty', () => {
    expect(GOLDEN_MONTHS).toHaveLength(60);
  });

  it.each(GOLDEN_MONTHS.map((golden, index) => [index + 1, golden.programme, golden] as const))(
    '%i, %s',
    async (number, _programme, golden) => {
      const cockpit = await look(golden, `org_golden_${number}`);
      const { says, now, region, rows, reported, programme, reading, month, ...wanted } = golden;
      expect(saidOf(golden, cockpit), says).toEqual(wanted);
    },
  );
});
