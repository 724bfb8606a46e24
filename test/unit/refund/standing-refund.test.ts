/** Guarantee: of several refunds under one key, a request of ours stands for one that moved money, and for the same one every time. */
import { expect, it } from 'vitest';
import { standingAmong } from '../../../src/service/processor/standing-refund.ts';
import type { ProcessorRefund } from '../../../src/service/wire/processor.ts';
import { refundOf } from '../ledger/fixtures.ts';

type Listed = readonly [reference: string, status: ProcessorRefund['status']];

const FAILED: Listed = ['re_f', 'failed'];
const PENDING: Listed = ['re_p', 'pending'];
const MADE: Listed = ['re_m', 'succeeded'];
const MADE_LATER: Listed = ['re_l', 'succeeded'];

it.each<[string, readonly Listed[], string | null, string | undefined]>([
  ['none, where none is listed', [], 're_m', undefined],
  ['the one that settled the request', [FAILED, PENDING, MADE, MADE_LATER], 're_l', 're_l'],
  ['the pending one that settled it, beside one that is through', [MADE, PENDING], 're_p', 're_p'],
  ['not one that failed since, beside another', [FAILED, PENDING], 're_f', 're_p'],
  ['the one that is through before a pending one', [PENDING, MADE, MADE_LATER], null, 're_m'],
  ['the pending one before one that failed', [FAILED, PENDING], null, 're_p'],
  ['the one that failed, where there is no other', [FAILED], null, 're_f'],
])('%s', (_name, listed, reference, expected) => {
  const refunds = listed.map(([name, status]) => refundOf({ reference: name, status }));
  expect(standingAmong(refunds, reference)?.reference).toBe(expected);
});
