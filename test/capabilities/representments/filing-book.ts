/** What the tests of filing open at the sandbox's processor, and what its book, our rows and people's messages then say. */
import type { Db } from '../../../src/base/db/database.ts';
import { findSubmission } from '../../../src/capabilities/representments/filing/filing.store.ts';
import type { SubmissionRow } from '../../../src/capabilities/representments/filing/filing.table.ts';
import type { Sandbox } from '../../../src/sandbox/index.ts';
import type { DisputeRecord } from '../../../src/sandbox/state/disputes.ts';
import { ORG } from '../../integration/reconcile/rows.ts';

type Changes = Parameters<Sandbox['openDispute']>[1];

export interface FilingBook {
  /** Opens a dispute of a charge of 29.00 USD, due in 14 days unless said otherwise. Returns its reference. */
  dispute(charge: string, changes?: Changes): string;
  /** As the processor has it. */
  shown(reference: string): DisputeRecord;
  row(reference: string): Promise<SubmissionRow>;
  /** What people were told, in order. */
  told(): Promise<string[]>;
}

export function filingBook(test: { readonly db: Db }, sandbox: () => Sandbox): FilingBook {
  return {
    dispute(charge, changes = {}) {
      sandbox().createCharge({ reference: charge, amount_in_cents: 2_900, currency: 'USD' });
      sandbox().openDispute(charge, { reason_code: '13.1', ...changes });
      return `dp_${charge}`;
    },
    shown(reference) {
      const found = sandbox()
        .disputes()
        .find((each) => each.reference === reference);
      if (found === undefined) throw new Error(`${reference} is not there`);
      return found;
    },
    async row(reference) {
      const found = await findSubmission(test.db, ORG, reference);
      if (found === undefined) throw new Error(`${reference} has no submission`);
      return found;
    },
    async told() {
      const rows = await test.db.selectFrom('notification').select('text').orderBy('id').execute();
      return rows.map(({ text }) => text);
    },
  };
}
