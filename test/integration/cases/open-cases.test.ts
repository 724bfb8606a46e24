/** Guarantee: what is open, due and missed is counted of this organisation, at this moment. */
import { describe, expect, it } from 'vitest';
import { readOpenCases } from '../../../src/alerts/cases/open-cases.store.ts';
import { useTestDatabase } from '../../support/database.ts';
import { insertCase, ORG } from '../reconcile/rows.ts';

const test = useTestDatabase();

describe('open cases', () => {
  it('are counted by state, with the nearest deadline and what was missed ever', async () => {
    await insertCase(test.db, 'netalrt_1', { state: 'HUMAN', deadlineAt: '2026-03-02T00:00:00Z' });
    await insertCase(test.db, 'netalrt_2', {
      state: 'REFUNDING',
      missedAt: '2026-03-01T00:00:00Z',
    });
    await insertCase(test.db, 'netalrt_3', { state: 'CLOSED_REMOTE' });
    await insertCase(test.db, 'netalrt_4', { state: 'HUMAN', organisationId: 'org_other' });
    const found = await readOpenCases(test.db, ORG);
    expect({ ...found, byState: [...found.byState].sort() }).toEqual({
      open: 2,
      byState: [
        ['HUMAN', 1],
        ['REFUNDING', 1],
      ],
      nearestDeadlineAt: new Date('2026-03-02T00:00:00Z'),
      nextActAt: new Date('2026-03-02T00:00:00Z'),
      missed: 1,
    });
  });
});
