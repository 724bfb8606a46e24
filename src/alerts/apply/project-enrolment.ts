/** Enrolments: object → row. */
import { ID_PREFIXES } from '../../service/wire/id-prefixes.ts';
import { longText, text } from './fields.ts';
import type { Projection } from './projection.ts';

export const ENROLMENT_PROJECTION: Projection = {
  entity: 'enrolment',
  idPrefix: ID_PREFIXES.enrolment,
  columns: { type: 'text', status: 'text', note: 'text' },
  headline: ['type', 'status', 'updated_at'],
  // Events carry enrolments without links, answers with them (specification, Event contents).
  ignored: ['links'],
  project: (enrolment) => ({
    type: text(enrolment, 'type'),
    status: text(enrolment, 'status'),
    note: longText(enrolment, 'note'),
  }),
  // Enrolments move back and forth: a descriptor can need a person again after it was enabled.
  rankOf: () => 0,
};
