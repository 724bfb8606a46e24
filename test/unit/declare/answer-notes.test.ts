/** Guarantee: the note of a declared refund names the refund that stands behind it, and fits. */
import { expect, it } from 'vitest';
import { refundNote } from '../../../src/alerts/ledger/answer-notes.ts';
import type { Movement } from '../../../src/alerts/ledger/ledger.ts';
import { movementOf, oursOf } from '../ledger/fixtures.ts';

it.each<[string, Movement | undefined, string]>([
  ['our refund', oursOf('dsp_1'), 'refund re_1'],
  ['our refund without a reference', oursOf('dsp_1', { reference: null }), 'refund mv_1'],
  ['our release', oursOf('dsp_1', { kind: 'void' }), 'authorisation voided'],
  ['somebody else’s refund', movementOf({ alertId: 'netalrt_2' }), 'already refunded re_1'],
  [
    'the network’s refund, which has no reference',
    movementOf({ kind: 'network', reference: null, alertId: 'netalrt_2' }),
    'already refunded netalrt_2',
  ],
  ['a refund of which nothing is known', movementOf({ reference: null }), 'already refunded ch_1'],
  ['no refund that could be named', undefined, 'already refunded ch_1'],
  [
    'a long reference, cut to 200 characters',
    oursOf('dsp_1', { reference: 'r'.repeat(300) }),
    `refund ${'r'.repeat(193)}`,
  ],
])('names %s', (_name, movement, note) => {
  expect(refundNote(movement, 'ch_1')).toBe(note);
});
