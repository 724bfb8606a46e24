/**
 * The disputes of a processor behind HTTP. A refusal is believed only where the answer proves it, as for a refund;
 * whatever else is no clear answer is `unknown`, and is looked up.
 */
import { readDispute, readDisputePage, readStagedFile } from '../wire/dispute-contract.ts';
import type {
  DisputeAbilities,
  EvidenceOutcome,
  ProcessorDispute,
  ProcessorDisputes,
} from '../wire/processor-dispute.ts';
import { answerOf, refusalIn } from './http-answer.ts';
import type { CallProcessor, ProcessorAnswer } from './processor-call.ts';

/** A file of some megabytes over a slow line, in milliseconds. */
const UPLOAD_TIMEOUT_MS = 60_000;

/** As the contract has it: a read shows what was handed in. */
const ABILITIES: DisputeAbilities = {
  lookupLagSeconds: 60,
  requestLifetimeSeconds: 600,
};

export function createHttpDisputes(call: CallProcessor): ProcessorDisputes {
  return {
    async abilities(): ReturnType<ProcessorDisputes['abilities']> {
      return ABILITIES;
    },
    async list({ changedSince, cursor }, signal): ReturnType<ProcessorDisputes['list']> {
      const query = { changed_since: changedSince, cursor };
      const end = await call({ method: 'GET', path: '/disputes', query }, signal);
      return answerOf(end, readDisputePage, 'not_offered');
    },
    async read(reference, signal): ReturnType<ProcessorDisputes['read']> {
      const answer = answerOf(
        await call({ method: 'GET', path: pathOf(reference) }, signal),
        readDispute,
        'absent',
      );
      return answer.kind === 'found' && answer.value.reference !== reference
        ? { kind: 'unavailable', reason: 'the processor answered another dispute' }
        : answer;
    },
    async stage(request, signal): ReturnType<ProcessorDisputes['stage']> {
      const { idempotencyKey, disputeReference, slot, name, type, content } = request;
      const end = await call(
        {
          method: 'POST',
          path: `${pathOf(disputeReference)}/files`,
          idempotencyKey,
          timeoutMs: UPLOAD_TIMEOUT_MS,
          body: { slot, name, type, content_base64: Buffer.from(content).toString('base64') },
        },
        signal,
      );
      return outcomeOf(end, (json) => {
        const file = readStagedFile(json);
        return file?.slot === slot ? file : undefined;
      });
    },
    async submit(request, signal): ReturnType<ProcessorDisputes['submit']> {
      const { idempotencyKey, disputeReference, fields, files } = request;
      const end = await call(
        {
          method: 'POST',
          path: `${pathOf(disputeReference)}/submission`,
          idempotencyKey,
          body: { fields, files: files.map(({ slot, reference }) => ({ slot, reference })) },
        },
        signal,
      );
      return outcomeOf(end, (json) => {
        const dispute = readSame(json, disputeReference);
        // Another key's submission is no answer to this one.
        return dispute?.submission?.idempotencyKey === idempotencyKey ? dispute : undefined;
      });
    },
    async accept(reference, idempotencyKey, signal): ReturnType<ProcessorDisputes['accept']> {
      const path = `${pathOf(reference)}/acceptance`;
      const end = await call({ method: 'POST', path, idempotencyKey, body: {} }, signal);
      return outcomeOf(end, (json) => {
        const dispute = readSame(json, reference);
        return dispute?.status === 'accepted' ? dispute : undefined;
      });
    },
  };
}

function pathOf(reference: string): string {
  return `/disputes/${encodeURIComponent(reference)}`;
}

function readSame(json: unknown, reference: string): ProcessorDispute | undefined {
  const dispute = readDispute(json);
  return dispute?.reference === reference ? dispute : undefined;
}

function outcomeOf<Value>(
  end: ProcessorAnswer,
  read: (json: unknown) => Value | undefined,
): EvidenceOutcome<Value> {
  if (end.kind === 'none') return { kind: 'unknown', reason: end.reason };
  const { httpStatus, json } = end;
  if (httpStatus >= 200 && httpStatus < 300) {
    const value = read(json);
    return value === undefined
      ? { kind: 'unknown', reason: `the processor answered ${httpStatus}, unreadable` }
      : { kind: 'done', value };
  }
  const refusal = refusalIn(end);
  return refusal === undefined
    ? { kind: 'unknown', reason: `the processor answered ${httpStatus}` }
    : {
        kind: 'rejected',
        failureCode: refusal.code,
        failureClass: refusal.failureClass ?? 'retry',
      };
}
