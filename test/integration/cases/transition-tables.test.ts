/** Guarantee: code and database allow exactly the same moves of cases and refunds, pair by pair. */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CASE_STATES, isTerminal, mayCaseBecome } from '../../../src/cases/case-state.ts';
import type { RefundState } from '../../../src/refund/refund-state.ts';
import { mayRefundBecome, REFUND_TRANSITIONS } from '../../../src/refund/refund-state.ts';
import type { TestDatabase } from '../../support/database.ts';
import { createTestDatabase } from '../../support/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const REFUND_STATES = Object.keys(REFUND_TRANSITIONS) as RefundState[];

/** Inserts a row in the one state, tries the other, and rolls back. */
async function databaseAllows(insert: string, update: string): Promise<boolean> {
  class Undo extends Error {}
  try {
    await database.db.transaction().execute(async (trx) => {
      await sql.raw(insert).execute(trx);
      await sql.raw(update).execute(trx);
      throw new Undo();
    });
  } catch (error) {
    if (error instanceof Undo) return true;
    if (error instanceof Error && 'code' in error && error.code === '23514') return false;
    throw error;
  }
  return false;
}

describe('cases', () => {
  it('every pair', async () => {
    const wrong: string[] = [];
    for (const from of CASE_STATES) {
      for (const to of CASE_STATES) {
        if (from === to) continue;
        const allowed = await databaseAllows(
          `insert into alert_case (organisation_id, alert_id, state, opened_at, deadline_at, next_action_at, changed_at)
           values ('o', 'a', '${from}', now(), now(), now(), now())`,
          `update alert_case set state = '${to}'`,
        );
        if (allowed !== mayCaseBecome(from, to)) wrong.push(`${from} > ${to}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('the database knows every state, and which are open', async () => {
    for (const state of CASE_STATES) {
      const { rows } = await sql<{ is_open: boolean }>`
        insert into alert_case (organisation_id, alert_id, state, opened_at, deadline_at, next_action_at, changed_at)
        values ('o', ${state}, ${state}, now(), now(), now(), now()) returning is_open`.execute(
        database.db,
      );
      expect(rows[0]?.is_open).toBe(!isTerminal(state));
    }
  });
});

describe('refunds', () => {
  const insert = (state: string, amount = 0) =>
    `insert into refund (organisation_id, id, charge_reference, idempotency_key, alert_id, state, amount_minor,
       currency, captured_minor, first_sent_at, next_action_at, created_at, changed_at)
     values ('o', 'r', 'c', 'k', 'a', '${state}', ${amount}, 'EUR', 5000, now(), now(), now(), now())`;

  it('every pair', async () => {
    const wrong: string[] = [];
    for (const from of REFUND_STATES) {
      for (const to of REFUND_STATES) {
        if (from === to) continue;
        const allowed = await databaseAllows(insert(from), `update refund set state = '${to}'`);
        if (allowed !== mayRefundBecome(from, to)) wrong.push(`${from} > ${to}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it.each(['SENT', 'UNKNOWN', 'PENDING', 'CONFIRMED', 'HUMAN', 'REVERSED'])(
    'key, amount and currency of a refund that is %s never change',
    async (state) => {
      for (const change of [
        `idempotency_key = 'other'`,
        'amount_minor = 4999',
        `currency = 'USD'`,
        `charge_reference = 'other'`,
      ]) {
        expect(await databaseAllows(insert(state, 5000), `update refund set ${change}`)).toBe(
          false,
        );
      }
    },
  );

  it('no second row for a charge, nothing above the captured amount (I1)', async () => {
    const twice = databaseAllows(insert('INTENT'), insert('INTENT').replace("'r'", "'r2'"));
    await expect(twice).rejects.toThrow('unique');
    expect(
      await databaseAllows(insert('INTENT', 5000), 'update refund set external_minor = 1'),
    ).toBe(false);
    expect(
      await databaseAllows(insert('INTENT', 4999), 'update refund set external_minor = 1'),
    ).toBe(true);
  });
});
