/** What a condition can ask about the schemes' monitoring programmes. */
import type { FieldTable } from './field-kinds.ts';

export const RATIO_FIELDS = {
  ratio: {
    kind: 'number',
    label: 'ratio in percent',
    about:
      'Fraud reports and disputes of this month in percent of the payments, for the alert’s card scheme and merchant, as the scheme’s programme counts them; by the reading that counts most. Not known without payments, or when no worker has counted for a day.',
    read: ({ ratio }) => ratio?.percent ?? null,
  },
  ratio_headroom: {
    kind: 'number',
    label: 'room until the next line',
    about:
      'How many more fraud reports and disputes until the nearest line of a programme is crossed; 0 when one is. Not known without payments, or when no worker has counted for a day.',
    read: ({ ratio }) => ratio?.headroom ?? null,
  },
} as const satisfies FieldTable;
