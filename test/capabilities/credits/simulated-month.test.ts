/**
 * Guarantee: of a month of alerts exactly those are claimed that should not be paid, each for its true reason; and
 * every departure of the provider's invoice from alerts − credits is explained by its line, to the cent.
 *
 * FORESTALL_CREDIT_ALERTS=10000 runs it at its full size.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import { moveClaim } from '../../../src/capabilities/credits/credit-claim.store.ts';
import { openCreditWindows } from '../../../src/capabilities/credits/credit-windows.ts';
import { createCredits } from '../../../src/capabilities/credits/credits.job.ts';
import { alertsOfInvoice } from '../../../src/capabilities/credits/invoice.store.ts';
import type { Explained, InvoiceResult } from '../../../src/capabilities/credits/invoice.ts';
import { compareInvoice } from '../../../src/capabilities/credits/invoice.ts';
import { readInvoice } from '../../../src/capabilities/credits/invoice-file.ts';
import { ORG } from '../../integration/reconcile/rows.ts';
import { useTestDatabase } from '../../support/database.ts';
import type { Outcome } from './simulated-month.ts';
import { seeded, writeMonth, writeStrangers } from './simulated-month.ts';

const ALERTS = Number(process.env['FORESTALL_CREDIT_ALERTS'] ?? '340');
const NOW = '2026-11-02T00:00:00Z';

const test = useTestDatabase();
let outcomes: readonly Outcome[];
let strangers: readonly string[];
let claims: ReadonlyMap<string, string>;

beforeAll(async () => {
  const { db } = test;
  outcomes = await writeMonth(db, ALERTS);
  strangers = await writeStrangers(db);
  // What the triggers note one by one as cases close.
  await db.deleteFrom('credit_due').execute();
  await db
    .insertInto('credit_due')
    .values(outcomes.map(({ alertId }) => ({ organisation_id: ORG, alert_id: alertId })))
    .execute();
  await judgeAll();
  const rows = await db.selectFrom('credit_claim').select(['alert_id', 'class']).execute();
  claims = new Map(rows.map((row) => [row.alert_id, row.class]));
}, 300_000);

async function judgeAll(): Promise<void> {
  const clock = createFixedClock(NOW);
  const windows = openCreditWindows(undefined);
  const job = createCredits({ db: test.db, clock, organisationId: ORG, windows });
  while ((await job.runOnce()) > 0);
}

it('claims what should not be paid, for its true reason, and nothing else', () => {
  const wrong = outcomes
    .map(({ alertId, story, claim }) => ({ story, claim, found: claims.get(alertId) ?? null }))
    .filter(({ claim, found }) => claim !== found);
  expect(wrong).toEqual([]);
  expect(claims.size).toBe(outcomes.filter(({ claim }) => claim !== null).length);
  expect(new Set(claims.values()).size).toBe(8);
});

/** One line of the invoice, with what is true of it. */
interface Planted {
  readonly alertId: string;
  readonly cents: number;
  /** `null`: as it should be. */
  readonly wrong: { readonly verdict: string; readonly byCents: number } | null;
}

const PRICE = { NETA_ALERT: 2_500, NETB_RDR: 1_200 };

const fine = (alertId: string, cents: number): Planted => ({ alertId, cents, wrong: null });
const off = (alertId: string, cents: number, [verdict, byCents]: [string, number]): Planted => ({
  alertId,
  cents,
  wrong: { verdict, byCents },
});

/** Lines of an alert whose credit was granted; one of 0 stands for a line that is not there. */
function grantedLines({ alertId, network }: Outcome, mishap: number): Planted[] {
  const cents = PRICE[network];
  if (mishap < 0.1) return [off(alertId, 0, ['not_owed', 0])];
  const charge = fine(alertId, cents);
  if (mishap < 0.2) return [charge, off(alertId, 0, ['credit_missing', cents])];
  if (mishap < 0.3) return [charge, off(alertId, -cents + 300, ['credit_differs', 300])];
  const credit = fine(alertId, -cents);
  if (mishap < 0.95) return [charge, credit];
  return [charge, credit, off(alertId, -cents, ['credited_twice', -cents])];
}

/** Lines of an alert that is to be paid. */
function chargedLines({ alertId, network }: Outcome, mishap: number): Planted[] {
  const cents = PRICE[network];
  const charge = fine(alertId, cents);
  if (mishap < 0.02) return [off(alertId, 0, ['not_billed', -cents])];
  if (mishap < 0.04) return [off(alertId, cents + 150, ['price_differs', 150])];
  if (mishap > 0.98) return [charge, off(alertId, cents, ['billed_twice', cents])];
  if (mishap < 0.94 || mishap > 0.96) return [charge];
  const verdict = claims.has(alertId) ? 'credit_early' : 'credit_unasked';
  return [charge, off(alertId, -cents, [verdict, -cents])];
}

/** The provider's side: bills each alert, credits what was granted, and makes its mistakes. */
function invoiceOf(
  alerts: readonly Outcome[],
  granted: ReadonlySet<string>,
): { readonly lines: Planted[]; readonly left: Planted[] } {
  const random = seeded(7);
  const all = alerts.flatMap((each) =>
    (granted.has(each.alertId) ? grantedLines : chargedLines)(each, random()),
  );
  const odd = [
    ...strangers.flatMap((alertId) => [
      off(alertId, 2_500, ['other_period', 2_500]),
      off(alertId, -2_500, ['credit_other_period', -2_500]),
    ]),
    off('netalrt_nobody', 2_500, ['unknown_alert', 2_500]),
    off('netalrt_noone', -2_500, ['credit_unknown', -2_500]),
  ];
  return {
    lines: [...all.filter(({ cents }) => cents !== 0), ...odd],
    left: all.filter(({ cents }) => cents === 0),
  };
}

describe('judging once more', () => {
  it('changes a claim that nobody touched, and none that a person did', async () => {
    const { db } = test;
    const [touched = '', untouched = '', gone = ''] = [...claims]
      .filter(([, name]) => name === 'ALREADY_REFUNDED')
      .map(([alertId]) => alertId);
    const move = { organisationId: ORG, operator: 'ada', now: new Date(NOW) } as const;
    await db
      .updateTable('credit_claim')
      .set({ state: 'OPEN' })
      .where('alert_id', '=', touched)
      .execute();
    await moveClaim(db, { ...move, alertId: touched, from: 'OPEN', to: 'SENT' });
    await db
      .updateTable('credit_claim')
      .set({ state: 'OPEN' })
      .where('alert_id', '=', untouched)
      .execute();
    // The triggers mark all three.
    await db
      .updateTable('alert')
      .set({ status: 'INVALID' })
      .where('id', 'in', [touched, untouched])
      .execute();
    await db
      .updateTable('movement')
      .set({ state: 'REVERSED', amount_minor: 0 })
      .where('charge_reference', '=', gone.replace('netalrt_sim', 'ch'))
      .execute();
    await judgeAll();
    const found = await db
      .selectFrom('credit_claim')
      .select(['alert_id', 'class'])
      .where('alert_id', 'in', [touched, untouched, gone])
      .execute();
    expect(Object.fromEntries(found.map((row) => [row.alert_id, row.class]))).toEqual({
      [touched]: 'ALREADY_REFUNDED',
      [untouched]: 'INVALID',
    });
    // As it was, for what follows.
    await db
      .updateTable('alert')
      .set({ status: 'RESOLVED' })
      .where('id', 'in', [touched, untouched])
      .execute();
    await db
      .updateTable('movement')
      .set({ state: 'CONFIRMED', amount_minor: 2_900 })
      .where('charge_reference', '=', gone.replace('netalrt_sim', 'ch'))
      .execute();
    await judgeAll();
  });
});

describe('the invoice of the month', () => {
  let planted: ReturnType<typeof invoiceOf>;
  let result: InvoiceResult;

  beforeAll(async () => {
    const { db } = test;
    // A person has had every second claim granted.
    const granted = [...claims.keys()].sort().filter((_, index) => index % 2 === 0);
    for (const alertId of granted) {
      const [row] = await db
        .selectFrom('credit_claim')
        .select('state')
        .where('alert_id', '=', alertId)
        .execute();
      const move = {
        organisationId: ORG,
        alertId,
        from: row?.state ?? 'OPEN',
        to: 'GRANTED',
      } as const;
      expect(await moveClaim(db, { ...move, operator: 'ada', now: new Date(NOW) })).toBe(true);
    }
    planted = invoiceOf(outcomes, new Set(granted));
    const text = planted.lines.map(
      ({ alertId, cents }) => `${alertId},${(cents / 100).toFixed(2)},USD`,
    );
    const { lines, unreadable } = readInvoice(
      `alert_id,amount,currency\n${text.join('\n')}\nx,,USD\n`,
      { columns: {} },
    );
    expect(unreadable).toEqual([{ line: planted.lines.length + 2, problem: 'the amount is none' }]);
    const period = { from: '2026-10-01', to: '2026-10-31' };
    const alerts = await alertsOfInvoice(db, ORG, { period, lines });
    result = compareInvoice(lines, alerts, {
      NETA_ALERT: { amountMinor: 2_500, currency: 'USD' },
      NETB_RDR: { amountMinor: 1_200, currency: 'USD' },
    });
  }, 300_000);

  it('leaves nothing unexplained, and its sums are those of the file', () => {
    const billed = planted.lines.reduce((sum, { cents }) => sum + cents, 0);
    expect(result.sums).toEqual([
      expect.objectContaining({ currency: 'USD', billedMinor: billed, unexplainedMinor: 0 }),
    ]);
    const wrong = [...planted.lines, ...planted.left].reduce(
      (sum, each) => sum + (each.wrong?.byCents ?? 0),
      0,
    );
    expect(result.sums[0]?.explainedMinor).toBe(wrong);
    expect(result.sums[0]?.expectedMinor).toBe(billed - wrong);
  });

  it('says of every line what was done to it, and of no other that anything was', () => {
    const wordsOf = ({ verdict, differences }: Explained): string =>
      `${verdict} ${differences[0]?.amountMinor ?? 0}`;
    const planned = planted.lines.map(({ cents, wrong }, index) => {
      const asAgreed = cents > 0 ? 'billed 0' : 'credited 0';
      return `${index + 2}: ${wrong === null ? asAgreed : `${wrong.verdict} ${wrong.byCents}`}`;
    });
    const found = result.explained.filter(({ line }) => line !== null);
    expect(found.map((each) => `${each.line}: ${wordsOf(each)}`)).toEqual(planned);
    const without = result.explained.filter(({ line }) => line === null);
    expect(without.map((each) => `${each.alertId} ${wordsOf(each)}`).sort()).toEqual(
      planted.left
        .map(({ alertId, wrong }) => `${alertId} ${wrong?.verdict} ${wrong?.byCents}`)
        .sort(),
    );
  });
});
