/**
 * Guarantee: every adapter that files evidence shows disputes as they are, hands evidence in once, looks before it sends,
 * refuses what does not fit before anything is sent, and takes no missing answer for a failure.
 */
import { afterEach, describe, expect, it } from 'vitest';
import type {
  EvidenceFileType,
  ProcessorDispute,
  ProcessorDisputes,
  SubmissionRequest,
} from '../../../src/service/wire/processor-dispute.ts';
import { createMollieProcessor } from '../../../templates/processors/mollie/processor.ts';
import type { Asked, DisputeProvider } from './fakes/dispute-fakes.ts';
import { PROVIDERS, serveDisputes } from './fakes/dispute-fakes.ts';

const PDF = Buffer.from('%PDF-1.7\nThe response.\n');
const KEY = 'ev_0000000000000000000000000000000000000001';
const { signal } = new AbortController();

let provider: DisputeProvider;
afterEach(() => provider.stop());

function disputes(): ProcessorDisputes {
  const { disputes: offered } = provider.processor;
  if (offered === undefined) throw new Error('no disputes');
  return offered;
}

async function shown(): Promise<ProcessorDispute> {
  const answer = await disputes().read(provider.book.reference);
  if (answer.kind !== 'found') throw new Error(JSON.stringify(answer));
  return answer.value;
}

function generalSlot({ wants }: ProcessorDispute): string {
  const slot = wants.slots.find(({ holds }) => holds.length === 0);
  if (slot === undefined) throw new Error('no slot for anything');
  return slot.name;
}

function fileFor(
  dispute: ProcessorDispute,
  content: Buffer = PDF,
  type: EvidenceFileType = 'application/pdf',
) {
  const slot = generalSlot(dispute);
  return { slot, name: 'response.pdf', type, content, idempotencyKey: `${KEY}_${slot}` };
}

async function staged(): Promise<SubmissionRequest> {
  const dispute = await shown();
  const file = fileFor(dispute);
  const outcome = await disputes().stage({ ...file, disputeReference: dispute.reference }, signal);
  if (outcome.kind !== 'done') throw new Error(JSON.stringify(outcome));
  const field = dispute.wants.fields[0]?.name;
  return {
    idempotencyKey: KEY,
    disputeReference: dispute.reference,
    fields: field === undefined ? {} : { [field]: 'It was delivered.' },
    files: [{ ...file, reference: outcome.value.reference }],
  };
}

function countOf(asked: Asked): number {
  return provider.requests.filter((request) => request.asked === asked).length;
}

describe.each(PROVIDERS)('%s', (name) => {
  it('shows a dispute: its charge, amount, reason, due date, and what it takes', async () => {
    provider = serveDisputes(name);
    expect(await shown()).toMatchObject({
      reference: provider.book.reference,
      chargeReference: provider.book.chargeReference,
      reasonCode: '13.1',
      amountMinor: 2900,
      currency: 'USD',
      status: 'needs_response',
      dueBy: '2026-03-24T12:00:00.000Z',
      openedAt: '2026-03-10T12:00:00.000Z',
      submission: null,
    });
    expect(await disputes().read('another')).toEqual({ kind: 'absent' });
    const page = await disputes().list({ changedSince: '2026-03-01T00:00:00.000Z' });
    expect(page).toMatchObject({
      kind: 'found',
      value: {
        disputes: [{ reference: provider.book.reference, amountMinor: 2900 }],
        cursor: null,
      },
    });
  });

  it('takes evidence once, and then shows that it has it', async () => {
    provider = serveDisputes(name);
    const request = await staged();
    const outcome = await disputes().submit(request, signal);
    expect(outcome).toMatchObject({ kind: 'done', value: { status: 'under_review' } });
    expect((await shown()).submission).not.toBeNull();
    const again = await disputes().submit(request, signal);
    // Where the provider keeps our key, it is known as ours.
    expect(again).toMatchObject(
      name === 'stripe' ? { kind: 'done' } : { kind: 'rejected', failureClass: 'done' },
    );
    expect(provider.book.submissions).toBe(1);
  });

  it.each(['lost_after', 'lost_before'] as const)(
    'with the answer to a submission %s does not know, and the look-up tells',
    async (kind) => {
      provider = serveDisputes(name);
      const request = await staged();
      provider.fault = { on: 'submit', kind };
      expect(await disputes().submit(request, signal)).toMatchObject({ kind: 'unknown' });
      provider.fault = undefined;
      const isThere = kind === 'lost_after';
      expect((await shown()).submission === null).toBe(!isThere);
      expect(provider.book.submissions).toBe(isThere ? 1 : 0);
    },
  );

  it.each([429, 500, 502, 503, 401, 403, 409])(
    'takes HTTP %d without words of the provider for no answer at all',
    async (status) => {
      provider = serveDisputes(name);
      const request = await staged();
      provider.fault = { on: 'submit', kind: 'status', status };
      expect(await disputes().submit(request, signal)).toMatchObject({ kind: 'unknown' });
      provider.fault = { on: 'read', kind: 'status', status };
      const reading = await disputes().read(provider.book.reference);
      expect(reading.kind).toBe('unavailable');
      expect(provider.book.submissions).toBe(0);
    },
  );

  it('says that a submission is past due, in the provider’s word', async () => {
    provider = serveDisputes(name);
    const request = await staged();
    const { pastDue } = provider.words;
    provider.fault = { on: 'submit', kind: 'refused', word: pastDue };
    expect(await disputes().submit(request, signal)).toEqual({
      kind: 'rejected',
      failureCode: pastDue,
      failureClass: 'final',
    });
  });

  it('looks before it sends: what somebody else handed in is not handed in again', async () => {
    provider = serveDisputes(name);
    const request = await staged();
    provider.book.status = 'submitted';
    provider.book.submissions = 1;
    const before = countOf('submit');
    expect(await disputes().submit(request, signal)).toEqual({
      kind: 'rejected',
      failureCode: 'already_submitted',
      failureClass: 'done',
    });
    expect(countOf('submit')).toBe(before);
  });

  it('sends nothing for a dispute that was accepted', async () => {
    provider = serveDisputes(name);
    const request = await staged();
    provider.book.status = 'accepted';
    expect(await disputes().submit(request, signal)).toMatchObject({ kind: 'rejected' });
    expect(provider.book.submissions).toBe(0);
  });

  it.each<[string, Buffer, EvidenceFileType, string]>([
    [
      'of 30 MB',
      Buffer.concat([PDF, Buffer.alloc(30 * 1024 * 1024)]),
      'application/pdf',
      'file_too_large',
    ],
    ['that is no PDF', Buffer.from('<html>'), 'application/pdf', 'file_format'],
  ])('sends no file %s', async (_what, content, type, failureCode) => {
    provider = serveDisputes(name);
    const dispute = await shown();
    const file = fileFor(dispute, content, type);
    const request = { ...file, disputeReference: dispute.reference };
    const refused = { kind: 'rejected', failureCode, failureClass: 'final' };
    expect(await disputes().stage(request, signal)).toEqual(refused);
    const submission = { ...file, reference: 'file_1' };
    const all = {
      idempotencyKey: KEY,
      disputeReference: dispute.reference,
      fields: {},
      files: [submission],
    };
    expect(await disputes().submit(all, signal)).toEqual(refused);
    expect([countOf('stage'), countOf('submit')]).toEqual([0, 0]);
  });

  it('sends no text that is too long, and none that the dispute does not take', async () => {
    provider = serveDisputes(name);
    const request = await staged();
    const { wants } = await shown();
    const given = (fields: Record<string, string>) =>
      disputes().submit({ ...request, fields }, signal);
    expect(await given({ nonsense: 'x' })).toMatchObject({ failureCode: 'unknown_field' });
    for (const field of wants.fields) {
      const text = 'x'.repeat(field.charsMax + 1);
      expect(await given({ [field.name]: text })).toMatchObject({ failureCode: 'text_too_long' });
    }
    expect(countOf('submit')).toBe(0);
  });

  it('gives up, once, and only what is open', async () => {
    provider = serveDisputes(name);
    const { reference } = provider.book;
    expect(await disputes().accept(reference, `${KEY}_accept`, signal)).toMatchObject({
      kind: 'done',
      value: { status: 'accepted' },
    });
    expect(provider.book).toMatchObject({ status: 'accepted', submissions: 0 });
    await disputes().accept(reference, `${KEY}_accept`, signal);
    expect(countOf('accept')).toBe(1);
  });

  it('shows no dispute whose amount or date cannot be read', async () => {
    provider = serveDisputes(name);
    provider.book.due = 'soon';
    const answer = await disputes().read(provider.book.reference);
    expect(answer.kind).toBe('unavailable');
    const listed = await disputes().list({});
    expect(listed.kind).toBe('unavailable');
  });
});

it.each(PROVIDERS.filter((name) => name !== 'paypal'))(
  '%s: a file whose upload was refused is told in its word',
  async (name) => {
    provider = serveDisputes(name);
    const dispute = await shown();
    const { tooLarge: word } = provider.words;
    provider.fault = { on: 'stage', kind: 'refused', word };
    const request = { ...fileFor(dispute), disputeReference: dispute.reference };
    expect(await disputes().stage(request, signal)).toEqual({
      kind: 'rejected',
      failureCode: word,
      failureClass: 'final',
    });
    provider.fault = { on: 'stage', kind: 'lost_after' };
    expect(await disputes().stage(request, signal)).toMatchObject({ kind: 'unknown' });
  },
);

it('Adyen is asked once what a dispute takes before it is given up', async () => {
  provider = serveDisputes('adyen');
  await disputes().accept(provider.book.reference, `${KEY}_accept`, signal);
  expect([countOf('read'), countOf('accept')]).toEqual([1, 1]);
});

it('Mollie has none, and its capabilities say so', () => {
  provider = serveDisputes('stripe');
  const mollie = createMollieProcessor({ apiKey: 'test_x', pendingCounts: true } as never);
  expect(mollie.disputes).toBeUndefined();
});

it('Adyen without a store of disputes, or without the address, files nothing', async () => {
  provider = serveDisputes('adyen');
  const { createAdyenProcessor } = await import('../../../templates/processors/adyen/processor.ts');
  const base = {
    ...{ apiKey: 'k', merchantAccount: 'Shop', baseUrl: 'https://checkout-test.adyen.com/v71' },
  };
  const notifications = { ofPayment: () => Promise.resolve([]) };
  expect(createAdyenProcessor(base).disputes).toBeUndefined();
  const disputesUrl = 'https://ca-test.adyen.com/ca/services/DisputeService/v30';
  expect(createAdyenProcessor({ ...base, disputesUrl, notifications }).disputes).toBeUndefined();
});
