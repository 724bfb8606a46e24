/**
 * Guarantee: for each reason code of the file of packs and each adapter, what is composed fits what the dispute takes: each
 * required field and file is filled, or named as missing with nothing sent; and the provider takes it.
 */
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Composition } from '../../../src/capabilities/representments/filing/compose.ts';
import { readFilingFacts } from '../../../src/capabilities/representments/filing/filing-facts.store.ts';
import { prepareFiling } from '../../../src/capabilities/representments/filing/prepare.ts';
import { openPackRules } from '../../../src/capabilities/representments/pack-rules.ts';
import type {
  ProcessorDispute,
  SubmittedFile,
} from '../../../src/service/wire/processor-dispute.ts';
import { FULL, insertOrder } from '../../capabilities/representments/rows.ts';
import { ORG } from '../../integration/reconcile/rows.ts';
import { useTestDatabase } from '../../support/database.ts';
import type { DisputeProvider } from './fakes/dispute-fakes.ts';
import { PROVIDERS, serveDisputes } from './fakes/dispute-fakes.ts';

const test = useTestDatabase();
const RULES = openPackRules();
const CODES = RULES.packs.flatMap(({ codes }) => codes.slice(0, 1));
const { signal } = new AbortController();

let provider: DisputeProvider;
afterEach(() => provider.stop());

beforeAll(async () => {
  for (const charge of ['ch_1', 'pay_1', 'tx1', '1JU08902781691411', '8815555555555555']) {
    const own = { customer_email: `${charge}@customer.example`, customer_account_id: charge };
    const body = { ...FULL, ...own };
    await insertOrder(test.db, `order-${charge}`, { at: '2026-02-20T10:00:00Z', charge, body });
  }
});

it('there are at least 15 codes', () => {
  provider = serveDisputes('stripe');
  expect(CODES.length).toBeGreaterThanOrEqual(15);
});

async function composedFor(dispute: ProcessorDispute): Promise<Composition> {
  const of = { dispute, chosen: null, recorded: null, rules: RULES };
  const { pack } = await readFilingFacts(test.db, ORG, of);
  return await prepareFiling(test.db, ORG, { pack, dispute });
}

describe.each(PROVIDERS)('%s', (name) => {
  it.each(CODES)('takes what is composed for %s', async (code) => {
    provider = serveDisputes(name);
    provider.book.reasonCode = code;
    const { disputes } = provider.processor;
    if (disputes === undefined) throw new Error('no disputes');
    const answer = await disputes.read(provider.book.reference);
    if (answer.kind !== 'found') throw new Error(JSON.stringify(answer));
    const dispute = answer.value;
    expect(dispute.reasonCode).toBe(code);
    const { fields, files, problems } = await composedFor(dispute);
    const given = new Set([...Object.keys(fields), ...files.map(({ slot }) => slot)]);
    const required = [...dispute.wants.fields, ...dispute.wants.slots].filter(
      ({ isRequired }) => isRequired,
    );
    const named = JSON.stringify(problems);
    for (const each of required) {
      expect(given.has(each.name) || named.includes(each.name)).toBe(true);
    }
    expect(problems).toEqual([]);
    const staged: SubmittedFile[] = [];
    for (const file of files) {
      const outcome = await disputes.stage(
        { ...file, idempotencyKey: `k_${file.slot}`, disputeReference: dispute.reference },
        signal,
      );
      if (outcome.kind !== 'done') throw new Error(JSON.stringify(outcome));
      staged.push({ ...file, reference: outcome.value.reference });
    }
    const request = { idempotencyKey: 'ev_1', disputeReference: dispute.reference, fields };
    expect(await disputes.submit({ ...request, files: staged }, signal)).toMatchObject({
      kind: 'done',
    });
    expect(provider.book.submissions).toBe(1);
  });
});
