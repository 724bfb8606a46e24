/** Guarantee: the HTTP processor keeps every promise of the port against the sandbox's processor. */
import type { TestContext } from 'vitest';
import { describe, it } from 'vitest';
import { runProcessorConformance } from '../../../src/running/verify/processor-conformance.ts';
import { createSandboxFixture } from '../../../src/running/verify/sandbox-fixture.ts';
import { createSandbox } from '../../../src/sandbox/index.ts';
import type { ProcessorSettings } from '../../../src/sandbox/options.ts';
import { createHttpProcessor } from '../../../src/service/processor/http-processor.ts';

const secret = 'pk_conformance';

async function report({ onTestFinished }: TestContext, settings: Partial<ProcessorSettings> = {}) {
  const sandbox = await createSandbox({ processorSecret: secret, processor: settings });
  onTestFinished(() => sandbox.close());
  const { clock, processorUrl } = sandbox;
  const fresh = () => createHttpProcessor({ baseUrl: processorUrl, secret, clock });
  const { results } = await runProcessorConformance({
    processor: fresh(),
    fresh,
    fixture: createSandboxFixture(sandbox),
  });
  const named = (verdict: string): string[] =>
    results.filter((result) => result.verdict === verdict).map(({ name }) => name);
  return { failed: results.filter(({ verdict }) => verdict === 'failed'), named, sandbox };
}

/** What the sandbox cannot do: an effect behind a status, and an answer without a body. */
const BEYOND_THE_SANDBOX = [
  ...['401', '403', '408', '409', '429', '500', '503'].map(
    (status) => `fault.http_${status}_after_refund`,
  ),
  'fault.html_before_refund',
  'fault.truncated_before_refund',
  'fault.empty_before_refund',
  'fault.empty_after_refund',
  'fault.no_answer_after_refund',
  'fault.empty_while_reading',
];

const REPEATED_KEYS = [
  'refund.same_key_once',
  'refund.same_key_at_once',
  'refund.same_key_other_amount',
];

// Each waits some seconds for answers that do not come, and so side by side.
describe.concurrent('the HTTP processor keeps every promise', { timeout: 60_000 }, () => {
  it('to a processor that can do everything', async (context) => {
    const { expect } = context;
    const { failed, named } = await report(context);
    expect(failed).toEqual([]);
    expect(named('skipped')).toEqual(['subscription.unknown', ...BEYOND_THE_SANDBOX]);
  });

  it('to one that decides refunds later', async (context) => {
    const { expect } = context;
    const { failed, named } = await report(context, { async_refunds: true });
    expect(failed).toEqual([]);
    expect(named('passed')).toContain('refund.settles');
  });

  it('to one whose keys do nothing', async (context) => {
    const { expect } = context;
    const { failed, named } = await report(context, { idempotency_ttl_hours: 0 });
    expect(failed).toEqual([]);
    expect(named('skipped')).toEqual([
      ...REPEATED_KEYS,
      'subscription.unknown',
      ...BEYOND_THE_SANDBOX,
    ]);
  });

  it('to one that finds no refunds by key', async (context) => {
    const { expect } = context;
    const { failed } = await report(context, { can_lookup_by_reference: false });
    expect(failed).toEqual([]);
  });

  it('to one that refunds more than the charge, and says so', async (context) => {
    const { expect } = context;
    const { failed, named } = await report(context, { refuses_over_refund: false });
    expect(failed).toEqual([]);
    expect(named('skipped')).toContain('refund.above_remainder');
  });

  it('to one that offers no search, reading, voids and cancellations', async (context) => {
    const { expect } = context;
    const offers = {
      search: false,
      read: false,
      voids: false,
      cancellations: false,
      capabilities: true,
    };
    const { failed, named } = await report(context, { offers });
    expect(failed).toEqual([]);
    expect(named('skipped')).toEqual(
      expect.arrayContaining([
        'charge.read',
        'charge.search_by_reference',
        'charge.search_by_facts',
        'charge.disputed',
        'void.authorised',
        'subscription.cancel',
      ]),
    );
  });
});

it('the fixture plants faults only while they are asked for', async (context) => {
  const { sandbox } = await report(context);
  context.expect(sandbox.faults.list()).toEqual([]);
});
