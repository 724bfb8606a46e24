/** Guarantee: code and database allow exactly the same moves of cases and movements, pair by pair. */
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { CASE_STATES, isTerminal, mayCaseBecome } from '../../../src/alerts/cases/case-state.ts';
import type { MovementState } from '../../../src/alerts/ledger/movement-state.ts';
import {
  MOVEMENT_TRANSITIONS,
  mayMovementBecome,
} from '../../../src/alerts/ledger/movement-state.ts';
import { useTestDatabase } from '../../support/database.ts';

const database = useTestDatabase();

const MOVEMENT_STATES = Object.keys(MOVEMENT_TRANSITIONS) as MovementState[];

/** Inserts a row in the one state, tries the other, and rolls back. */
async function databaseAllows(insert: string, update: string): Promise<boolean> {
  class Undo extends Error {}
  try {
    await database.db.transaction().execute(async (trx) => {
      for (const statement of `${insert};${update}`.split(';')) {
        if (statement.trim() !== '') await sql.raw(statement).execute(trx);
      }
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

describe('movements', () => {
  const account = `insert into charge_account (organisation_id, charge_reference, status, amount_minor, currency)
    values ('o', 'c', 'captured', 5000, 'EUR') on conflict do nothing;
    insert into dispute (organisation_id, id, charge_reference, amount_minor, currency, opened_at)
    values ('o', 'd', 'c', 3000, 'EUR', now()) on conflict do nothing;`;
  const row = (fields: Record<string, string | number | null>): string => {
    const columns = {
      organisation_id: 'o',
      id: 'm',
      charge_reference: 'c',
      kind: 'refund',
      state: 'SENT',
      dispute_id: 'd',
      alert_id: 'a',
      idempotency_key: 'k',
      amount_minor: 3000,
      currency: 'EUR',
      failure_class: 'retry',
      first_sent_at: '2026-03-02T08:00:00Z',
      next_action_at: '2026-03-02T08:00:00Z',
      created_at: '2026-03-02T08:00:00Z',
      changed_at: '2026-03-02T08:00:00Z',
      ...fields,
    };
    const values = Object.values(columns).map((each) => (each === null ? 'null' : `'${each}'`));
    return `insert into movement (${Object.keys(columns).join(', ')}) values (${values.join(', ')})`;
  };
  const insert = (fields: Record<string, string | number | null> = {}): string =>
    `${account} ${row(fields)}`;

  it('every pair of ours', async () => {
    const wrong: string[] = [];
    for (const from of MOVEMENT_STATES) {
      for (const to of MOVEMENT_STATES) {
        if (from === to) continue;
        const allowed = await databaseAllows(
          insert({ state: from }),
          `update movement set state = '${to}'`,
        );
        if (allowed !== mayMovementBecome(from, to)) wrong.push(`${from} > ${to}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it.each(MOVEMENT_STATES)(
    'amount, currency and charge of one that is %s never change',
    async (state) => {
      for (const change of [
        'amount_minor = 2999',
        `currency = 'USD'`,
        `charge_reference = 'other'`,
      ]) {
        expect(await databaseAllows(insert({ state }), `update movement set ${change}`)).toBe(
          false,
        );
      }
    },
  );

  it.each(MOVEMENT_STATES)('the key of one that is %s', async (state) => {
    // A new key only where the last one is proven to have moved nothing.
    const mayChange = state === 'REJECTED' || state === 'NOT_SENT';
    const allowed = await databaseAllows(
      insert({ state }),
      `update movement set idempotency_key = 'other'`,
    );
    expect(allowed).toBe(mayChange);
  });

  it('L1: nothing of ours goes that would exceed what was captured', async () => {
    const observed = insert({
      id: 'x',
      kind: 'external',
      state: 'CONFIRMED',
      alert_id: null,
      idempotency_key: null,
      amount_minor: 2001,
      dispute_id: null,
      failure_class: null,
      observed_from: 'processor',
    });
    expect(await databaseAllows(observed, row({}))).toBe(false);
    expect(await databaseAllows(observed, row({ amount_minor: 2999 }))).toBe(true);
    expect(await databaseAllows(observed, row({ state: 'NOT_SENT' }))).toBe(true);
  });

  it('L2: one request at a time on a charge; a pending refund is none', async () => {
    const second = row({ id: 'm2', idempotency_key: 'k2', amount_minor: 1 });
    const first = insert({ amount_minor: 1 });
    await expect(databaseAllows(first, second)).rejects.toThrow('movement_in_flight');
    const pending = insert({ amount_minor: 1, state: 'PENDING' });
    expect(await databaseAllows(pending, second)).toBe(true);
  });

  it('L3: nothing of ours goes that would exceed its dispute', async () => {
    expect(await databaseAllows(account, row({ amount_minor: 3001 }))).toBe(false);
    const first = insert({ amount_minor: 2000, state: 'CONFIRMED' });
    const more = (amount: number): string =>
      row({ id: 'm2', idempotency_key: 'k2', amount_minor: amount });
    expect(await databaseAllows(first, more(1001))).toBe(false);
    expect(await databaseAllows(first, more(1000))).toBe(true);
  });

  it('L5: nothing goes beside an accepted dispute, and none is accepted beside our money', async () => {
    const alert = `insert into alert_case (organisation_id, alert_id, state, charge_reference, dispute_id, opened_at, deadline_at,
      next_action_at, changed_at) values ('o', 'a5', 'DECLARE_ACCEPT', 'c', 'd', now(), now(), now(), now());`;
    const accepts = (despite: number): string =>
      `insert into declaration (organisation_id, alert_id, action, note, state, despite_minor, created_at, changed_at)
       values ('o', 'a5', 'ACCEPT_DISPUTE', 'n', 'DUE', ${despite}, now(), now())`;
    expect(await databaseAllows(`${account} ${alert} ${accepts(0)}`, row({}))).toBe(false);
    expect(await databaseAllows(insert({ state: 'CONFIRMED' }), `${alert} ${accepts(0)}`)).toBe(
      false,
    );
    expect(await databaseAllows(insert({ state: 'CONFIRMED' }), `${alert} ${accepts(3000)}`)).toBe(
      true,
    );
    expect(await databaseAllows(insert({ state: 'REJECTED' }), `${alert} ${accepts(0)}`)).toBe(
      true,
    );
  });

  it('a movement covers no more than it moved', async () => {
    const cover = (amount: number): string =>
      `insert into cover (organisation_id, movement_id, dispute_id, amount_minor) values ('o', 'm', 'd', ${amount});
       set constraints all immediate`;
    expect(await databaseAllows(insert(), cover(3000))).toBe(true);
    expect(await databaseAllows(insert(), cover(3001))).toBe(false);
  });
});
