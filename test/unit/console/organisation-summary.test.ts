/** Guarantee: of many organisations those that need a person stand first, what does not work before what waits. */
import { expect, it } from 'vitest';
import type { Trouble } from '../../../src/health/health.ts';
import type { OrganisationSummary } from '../../../src/people/console/installation/organisation-summary.ts';
import { byNeed } from '../../../src/people/console/installation/organisation-summary.ts';

interface Given {
  readonly reviews?: number;
  readonly actsAt?: string;
  readonly deadlineAt?: string;
  readonly trouble?: Trouble['status'];
}

function summary(
  name: string,
  { reviews = 0, actsAt, deadlineAt, trouble }: Given = {},
): OrganisationSummary {
  const at = (text: string | undefined): Date | null =>
    text === undefined ? null : new Date(`2026-03-01T${text}:00Z`);
  const figures = { reviews, nextActAt: at(actsAt), nearestDeadlineAt: at(deadlineAt), errors: 0 };
  const cause = { detail: 'x', nextStep: 'y', parts: ['refunding'] };
  const troubles = trouble === undefined ? [] : [{ ...cause, status: trouble }];
  return { name, figures, troubles, needsPerson: reviews > 0 || trouble === 'failed' } as never;
}

it('orders by what is wrong, then by the time left, then by name', () => {
  const all = [
    summary('Quiet B'),
    summary('Quiet A'),
    summary('Open, due at noon', { deadlineAt: '12:00' }),
    summary('Review at noon', { reviews: 1, actsAt: '12:00' }),
    summary('Nine reviews from one on', { reviews: 9, actsAt: '13:00' }),
    summary('Shadow', { trouble: 'warning' }),
    summary('Broken, nothing due', { trouble: 'failed' }),
    summary('Broken, review at two', { trouble: 'failed', reviews: 1, actsAt: '14:00' }),
  ];
  expect(all.toSorted(byNeed).map(({ name }) => name)).toEqual([
    'Broken, review at two',
    'Broken, nothing due',
    'Review at noon',
    'Nine reviews from one on',
    'Shadow',
    'Open, due at noon',
    'Quiet A',
    'Quiet B',
  ]);
});
