/**
 * Guarantee: what decides about money stands in one place: the sums of a charge (L1) and what forbids accepting (L5) are asked
 * by the verdict, a stale reading is taken again by `withLedger`, and who else does either is named here with the reason.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const src = new URL('../../../src/', import.meta.url);

/** Where the questions themselves stand. */
const QUESTIONS: ReadonlySet<string> = new Set([
  'alerts/ledger/ledger.ts',
  'alerts/ledger/accept-objection.ts',
  'alerts/ledger/allocate.ts',
]);

const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !QUESTIONS.has(file))
  .map((file) => ({ file, code: codeOf(readFileSync(new URL(file, src), 'utf8')) }));

/** Without imports and comments. */
function codeOf(text: string): string {
  return text
    .replaceAll(/^import [^;]*;/gm, '')
    .replaceAll(/\/\*[\s\S]*?\*\//g, '')
    .replaceAll(/\/\/.*$/gm, '');
}

function naming(pattern: RegExp): string[] {
  return files
    .filter(({ code }) => pattern.test(code))
    .map(({ file }) => file)
    .sort();
}

it('the sums of a charge are asked by the verdict (L1)', () => {
  const sums = /\b(?:capturedMinor|outMinor|roomMinor|missingMinor|outForDispute|foreignOut)\(/;
  expect(naming(sums)).toEqual([
    // Told with the decision, as facts of a policy.
    'alerts/decide/gather-facts.ts',
    // Only shown.
    'alerts/ledger/account.ts',
    // Money paid too often; what is told to people.
    'alerts/ledger/paid-too-often.ts',
    'alerts/ledger/tell-consequences.ts',
    'alerts/ledger/verdict.ts',
    // A refund of ours that our rows had lost.
    'alerts/ledger/with-ledger.ts',
    // A repeat of the same request, under its key.
    'alerts/refund/recover-movement.ts',
    // Which money a person names.
    'alerts/review/older-money.ts',
    // Only shown.
    'people/console/pages/decide-form.ts',
  ]);
});

it('what forbids accepting is asked by the verdict (L5)', () => {
  const asked =
    /\b(?:isAccepted|objectionToAccept|isRefundAhead|hasMoneyOut)\(|\.(?:networkInDoubt|acceptanceInDoubt)\b/;
  expect(naming(asked)).toEqual([
    // Of charges that the alert may be about, none of which is its own.
    'alerts/declare/accept-uncharged.ts',
    'alerts/ledger/verdict.ts',
    // A repeat of the same request, under its key.
    'alerts/refund/recover-movement.ts',
  ]);
});

it('a reading is written onto the ledger, and taken again where it was overtaken, in one way (L9)', () => {
  expect(naming(/\bopenLedger\(/)).toEqual([
    // Without a reading: by our rows alone.
    'alerts/decide/held.job.ts',
    'alerts/ledger/with-ledger.ts',
    // With a reading of a whole batch, which is compared later where it was overtaken.
    'alerts/reconcile/read-books.ts',
    'alerts/refund/network-money.ts',
    'alerts/refund/refund-steps.ts',
  ]);
  expect(naming(/instanceof StaleReadingError/)).toEqual([
    'alerts/ledger/with-ledger.ts',
    'alerts/reconcile/read-books.ts',
  ]);
});
