/** A database with alerts and cases, and a processor in memory, for the steps of match and decide. */

import { sql } from 'kysely';
import type { CaseRow } from '../../../src/alerts/cases/case.store.ts';
import { findCase } from '../../../src/alerts/cases/case.store.ts';
import { claimDueCases } from '../../../src/alerts/cases/case-claim.store.ts';
import type { CaseSteps } from '../../../src/alerts/cases/case-runner.ts';
import { createCaseRunner } from '../../../src/alerts/cases/case-runner.ts';
import { createMatchStep } from '../../../src/alerts/match/match.job.ts';
import { createRematch } from '../../../src/alerts/match/rematch.job.ts';
import { rematchWaiting } from '../../../src/alerts/match/waiting.store.ts';
import { reconcileRdr } from '../../../src/alerts/refund/network-money.ts';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import { createLog } from '../../../src/base/kernel/log.ts';
import { recordCharges } from '../../../src/orders/charge.store.ts';
import type { ChargeRecord } from '../../../src/orders/charge-record.ts';
import type {
  Answer,
  ChargeQuery,
  Processor,
  ProcessorCharge,
} from '../../../src/service/wire/processor.ts';
import { CAUTIOUS_CAPABILITIES } from '../../../src/service/wire/processor.ts';
import type { TestDatabase } from '../../support/database.ts';
import { chargeOf } from '../../unit/ledger/fixtures.ts';
import { chargeRecord } from '../../unit/match/fixtures.ts';

export const ORG = 'org_1';
export const NOW = '2026-03-11T12:00:00.000Z';
export const DEADLINE = '2026-03-13T04:00:00.000Z';

/** The columns of an alert that tests set. */
export interface AlertOver {
  readonly status?: string;
  readonly enrolment_type?: string | null;
  readonly refund_outcome?: string | null;
  readonly amount_minor?: number | null;
  readonly currency?: string | null;
  readonly integration_transaction_id?: string | null;
  readonly acquirer_reference_number?: string | null;
  readonly authorisation_code?: string | null;
  readonly card_bin?: string | null;
  readonly card_last4?: string | null;
  readonly card_scheme?: string | null;
  readonly authorised_at?: string | null;
}

/** What the processor in memory answers, and what it was asked. */
export class MemoryProcessor implements Processor {
  readonly name = 'memory';
  readonly charges = new Map<string, ProcessorCharge>();
  readonly searches: ChargeQuery[] = [];
  readonly reads: string[] = [];
  /** Calls that move or cancel anything. */
  readonly effects: string[] = [];
  search: 'offered' | 'not_offered' | 'down' = 'offered';
  reading: 'offered' | 'not_offered' | 'down' = 'offered';

  add(over: Partial<ProcessorCharge> = {}): ProcessorCharge {
    const charge = chargeOf({
      ...{ amountMinor: 2990, currency: 'USD', refundableMinor: 2990 },
      ...{ cardBrand: 'SCHEME_A', cardBin: '411111', cardLast4: '1111' },
      authorisedAt: '2026-03-10T09:30:00.000Z',
      orderReference: 'order-1',
      ...over,
    });
    this.charges.set(charge.reference, charge);
    return charge;
  }

  refusesOverRefund = true;

  async capabilities() {
    return { ...CAUTIOUS_CAPABILITIES, refusesOverRefund: this.refusesOverRefund };
  }

  async searchCharges(query: ChargeQuery): Promise<Answer<ProcessorCharge[]>> {
    this.searches.push(query);
    if (this.search === 'down') return { kind: 'unavailable', reason: 'timeout' };
    if (this.search === 'not_offered') return { kind: 'not_offered' };
    const found = [...this.charges.values()].filter(
      (charge) =>
        (query.reference ?? charge.reference) === charge.reference &&
        (query.acquirerReferenceNumber ?? charge.acquirerReferenceNumber) ===
          charge.acquirerReferenceNumber &&
        (query.authorisationCode ?? charge.authorisationCode) === charge.authorisationCode &&
        (query.cardLast4 ?? charge.cardLast4) === charge.cardLast4 &&
        (query.cardBin ?? charge.cardBin) === charge.cardBin &&
        (query.amountMinor ?? charge.amountMinor) === charge.amountMinor,
    );
    return found.length === 0 ? { kind: 'absent' } : { kind: 'found', value: found };
  }

  async readCharge(reference: string): Promise<Answer<ProcessorCharge>> {
    this.reads.push(reference);
    if (this.reading === 'down') return { kind: 'unavailable', reason: 'timeout' };
    if (this.reading === 'not_offered') return { kind: 'not_offered' };
    const value = this.charges.get(reference);
    return value === undefined ? { kind: 'absent' } : { kind: 'found', value };
  }

  async findRefund(): Promise<Answer<never>> {
    return { kind: 'absent' };
  }

  async refund() {
    this.effects.push('refund');
    return { kind: 'unknown', reason: 'not expected here' } as const;
  }

  async voidCharge() {
    this.effects.push('void');
    return 'unknown' as const;
  }

  async cancelSubscription() {
    this.effects.push('cancel');
    return 'unknown' as const;
  }
}

/** Everything a test of these stages needs. */
export function createWorld(database: TestDatabase) {
  const { db } = database;
  const clock = createFixedClock(NOW);
  const processor = new MemoryProcessor();
  const log = createLog({ level: 'silent' });
  const matchDeps = { db, clock, organisationId: ORG, processor, reconcileRdr };
  const now = () => new Date(clock.nowMs());

  return {
    db,
    clock,
    processor,
    now,
    matchDeps,
    matchStep: createMatchStep(matchDeps),
    rematch: createRematch(matchDeps),

    async clear(): Promise<void> {
      await db.deleteFrom('alert_case').execute();
      for (const table of [
        'declaration',
        'cover',
        'dispute_mention',
        'movement',
        'dispute',
        'charge_account',
        'decision',
        'match',
        'match_choice',
        'charge',
        'alert',
        'notification',
        'policy_version',
      ] as const) {
        await db.deleteFrom(table).execute();
      }
      processor.charges.clear();
      processor.searches.length = 0;
      processor.reads.length = 0;
      processor.effects.length = 0;
      processor.search = 'offered';
      processor.reading = 'offered';
      clock.setMs(Date.parse(NOW));
    },

    async openAlert(id: string, over: AlertOver = {}): Promise<void> {
      const row = {
        organisation_id: ORG,
        id,
        status: 'ACTION_REQUIRED',
        enrolment_type: 'NETA_ALERT',
        deadline_at: DEADLINE,
        amount_minor: 2990,
        currency: 'USD',
        authorised_at: '2026-03-10T09:30:00.000Z',
        card_bin: '411111',
        card_last4: '1111',
        card_scheme: 'SCHEME_A',
        created_at: '2026-03-11T04:00:00.000Z',
        updated_at: '2026-03-11T04:00:00.000Z',
        snapshot: '{}',
        snapshot_hash: Buffer.from('00', 'hex'),
        source: 'webhook' as const,
        first_seen_at: NOW,
        changed_at: NOW,
        ...over,
      };
      await db.insertInto('alert').values(row).execute();
      await db
        .insertInto('alert_case')
        .values({
          organisation_id: ORG,
          alert_id: id,
          state: 'RECEIVED',
          opened_at: NOW,
          deadline_at: DEADLINE,
          next_action_at: NOW,
          changed_at: NOW,
        })
        .execute();
    },

    async changeAlert(id: string, over: AlertOver): Promise<void> {
      await db.updateTable('alert').set(over).where('id', '=', id).execute();
      await db
        .updateTable('alert_case')
        .set({ next_action_at: now() })
        .where('alert_id', '=', id)
        .execute();
    },

    /** Stores charges as the order feed does, and wakes what waits for them. */
    async learn(...charges: Partial<ChargeRecord>[]): Promise<number> {
      return await db.transaction().execute(async (trx) => {
        const records = charges.map((over) => chargeRecord(over));
        const changed = await recordCharges(trx, ORG, { charges: records, now: now() });
        return await rematchWaiting(trx, ORG, { charges: changed, now: now() });
      });
    },

    /** Stores charges, and does something else before that is committed. Returns what that came to. */
    async learnWhile<T>(meanwhile: () => Promise<T>, over: Partial<ChargeRecord>): Promise<T> {
      return await db.transaction().execute(async (trx) => {
        const charges = [chargeRecord(over)];
        await recordCharges(trx, ORG, { charges, now: now() });
        await rematchWaiting(trx, ORG, { charges, now: now() });
        return await meanwhile();
      });
    },

    /** Claims what is due, as a worker does. */
    async claim(): Promise<CaseRow[]> {
      const lease = { owner: 'worker-1', limit: 10, leaseMs: 30_000 };
      const isShut = sql<boolean>`false`;
      return await claimDueCases(db, { organisationId: ORG, now: now(), isShut, ...lease });
    },

    async caseOf(alertId: string): Promise<CaseRow> {
      const row = await findCase(db, ORG, alertId);
      if (row === undefined) throw new Error(`no case ${alertId}`);
      return row;
    },

    /** Runs due cases until nothing with a step is due. */
    async run(steps: CaseSteps): Promise<void> {
      const runner = createCaseRunner({
        db,
        clock,
        log,
        organisationId: ORG,
        workerId: 'worker-1',
        steps,
      });
      for (let round = 0; round < 10; round++) {
        if ((await runner.runOnce()) === 0) return;
      }
      throw new Error('cases are still due after ten rounds');
    },
  };
}

export type World = ReturnType<typeof createWorld>;
