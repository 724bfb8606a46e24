/** Guarantee: of two people who decide one case, one wins and the other is told; the audit has both (F90). */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { applyOperatorDecision } from '../../../src/alerts/review/apply-operator-decision.ts';
import { OPERATOR_REFUSALS } from '../../../src/alerts/review/operator-decision.ts';
import type { FixedClock } from '../../../src/base/kernel/clock.ts';
import { createFixedClock, nowDate } from '../../../src/base/kernel/clock.ts';
import { useTestDatabase } from '../../support/database.ts';
import { alertObject, insertAlert, insertCase, NOW } from '../reconcile/rows.ts';
import type { TestConsole } from './support.ts';
import { BEARER, formOf, jsonOf, startConsole } from './support.ts';

const test = useTestDatabase();
let clock: FixedClock;
let site: TestConsole;
const path = '/api/alerts/netalrt_1/decision';

beforeAll(async () => {
  clock = createFixedClock(NOW);
  site = await startConsole(test.db, clock, {
    decide: async (decision) => {
      const result = await applyOperatorDecision(test.db, {
        ...decision,
        note: decision.note ?? '',
        now: nowDate(clock),
      });
      if (result.ok) return { ok: true };
      const reason = result.reason === 'not_found' ? 'not_found' : 'conflict';
      return { ok: false, reason, message: OPERATOR_REFUSALS[result.reason] };
    },
  });
});
afterAll(async () => {
  await site.close();
});
beforeEach(async () => {
  for (const table of ['alert_case', 'decision', 'match', 'alert'] as const) {
    await test.db.deleteFrom(table).execute();
  }
  await insertAlert(test.db, alertObject('netalrt_1'));
  await insertCase(test.db, 'netalrt_1', {
    state: 'HUMAN',
    holdReason: 'disputed',
    chargeReference: 'ch_1',
  });
});

async function decide(body: object): Promise<number> {
  return (await site.post(path, jsonOf(body, BEARER))).status;
}

async function caseState(): Promise<string> {
  return (await test.db.selectFrom('alert_case').select('state').executeTakeFirstOrThrow()).state;
}

describe('deciding', () => {
  it('in parallel: one wins, the others get 409, and there is one decision', async () => {
    const before = await test.db.selectFrom('audit').select('id').execute();
    const statuses = await Promise.all([
      decide({ action: 'REFUND' }),
      decide({ action: 'REFUND' }),
      decide({ action: 'ACCEPT_DISPUTE' }),
      decide({ action: 'ACCEPT_DISPUTE' }),
    ]);
    expect(statuses.sort()).toEqual([202, 409, 409, 409]);
    expect(await test.db.selectFrom('decision').select('id').execute()).toHaveLength(1);
    const attempts = await test.db
      .selectFrom('audit')
      .select('what')
      .where('subject', '=', 'operator')
      .where('id', '>', Math.max(0, ...before.map((row) => row.id)))
      .execute();
    expect(attempts).toHaveLength(4);
    expect(attempts.filter(({ what }) => what.endsWith('refused'))).toHaveLength(3);
  });

  it('twice by the form: the second click is informed on the page', async () => {
    const { cookie, csrf } = await site.signIn();
    const click = (): Promise<Response> =>
      site.post(
        '/alerts/netalrt_1/decision',
        formOf({ action: 'REFUND', note: 'asked', csrf_token: csrf }, { cookie }),
      );
    expect((await click()).status).toBe(303);
    const second = await click();
    expect(second.status).toBe(409);
    expect(await second.text()).toContain('The alert has been decided already');
    const page = await (await site.get('/alerts/netalrt_1?log=yes', { cookie })).text();
    expect(page).toContain(
      '<strong>console</strong>: decided to refund <span class="quiet">needs a decision → to be refunded</span>',
    );
    expect(page).not.toContain('decide?action=REFUND');
  });

  it('by a page that shows another state of affairs is refused, and the page says so', async () => {
    const { cookie, csrf } = await site.signIn();
    const shown = await (
      await site.get('/alerts/netalrt_1/decide?action=REFUND', { cookie })
    ).text();
    const mark = /name="seen" value="(\w{16})"/.exec(shown)?.[1] ?? '';
    const send = (): Promise<Response> =>
      site.post(
        '/alerts/netalrt_1/decision',
        formOf({ action: 'REFUND', note: 'asked', seen: mark, csrf_token: csrf }, { cookie }),
      );
    await test.db.updateTable('alert_case').set({ charge_reference: 'ch_other' }).execute();
    const stale = await send();
    expect(stale.status).toBe(409);
    expect(await stale.text()).toContain('The case has changed since you loaded the page.');
    expect(await caseState()).toBe('HUMAN');
    // What a worker does in passing is no change that a person would see.
    await test.db.updateTable('alert_case').set({ charge_reference: 'ch_1', version: 9 }).execute();
    expect((await send()).status).toBe(303);
  });

  it.each([
    ['DECLARED_REFUND', 409],
    ['CLOSED_INVALID', 409],
    ['RECONCILED_RDR', 409],
    ['REFUNDING', 409],
  ] as const)('a case in %s is answered %i and stays', async (state, status) => {
    await test.db.deleteFrom('alert_case').execute();
    await insertCase(test.db, 'netalrt_1', { state, chargeReference: 'ch_1' });
    expect(await decide({ action: 'REFUND' })).toBe(status);
    expect(await caseState()).toBe(state);
  });

  it('an alert that is not there is answered 404', async () => {
    const answer = await site.post(
      '/api/alerts/netalrt_none/decision',
      jsonOf({ action: 'REFUND' }, BEARER),
    );
    expect(answer.status).toBe(404);
  });

  it('a refund without a known charge asks for one, and takes the one that is named', async () => {
    await test.db.updateTable('alert_case').set({ charge_reference: null }).execute();
    expect(await decide({ action: 'REFUND' })).toBe(409);
    const { cookie, csrf } = await site.signIn();
    const form = await (
      await site.get('/alerts/netalrt_1/decide?action=REFUND', { cookie })
    ).text();
    expect(form).toContain('name="charge_reference" required');
    const fields = {
      action: 'REFUND',
      note: 'it is',
      charge_reference: ' ch_9 ',
      csrf_token: csrf,
    };
    const answer = await site.post('/alerts/netalrt_1/decision', formOf(fields, { cookie }));
    expect(answer.status).toBe(303);
    const row = await test.db.selectFrom('alert_case').selectAll().executeTakeFirstOrThrow();
    expect([row.state, row.charge_reference]).toEqual(['DECIDED_REFUND', 'ch_9']);
  });

  it('to try again moves no money by itself', async () => {
    expect(await decide({ action: 'RETRY' })).toBe(202);
    expect(await caseState()).toBe('MATCHED');
    expect(await test.db.selectFrom('movement').select('id').execute()).toEqual([]);
  });
});
