/**
 * Tests of your processor against every promise that Forestall relies on, at your provider's test mode.
 *
 * Run it with `node --test forestall/tests/`. Give it charges to refund: see `captured` below.
 */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { ConformanceFixture } from 'forestall';
import { runProcessorConformance } from 'forestall';
import { processor } from '../processors/stripe/processor.example.ts';

const fixture: ConformanceFixture = {
  // Make a charge of at least 500 minor units in test mode, and return its reference.
  captured: () => Promise.reject(new Error('Write this: make a captured charge in test mode.')),
  absentReference: 'ch_does_not_exist',
  newKey: () => `fst_${crypto.randomUUID().replaceAll('-', '')}`.padEnd(44, '0').slice(0, 44),
};

it('my processor keeps its promises', async () => {
  const report = await runProcessorConformance({ processor, fixture });
  const failed = report.results.filter(({ verdict }) => verdict === 'failed');
  assert.deepEqual(failed, []);
});
