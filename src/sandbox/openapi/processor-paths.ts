/** The HTTP processor contract in the document. */
import { z } from 'zod';
import type {
  ZodOpenApiOperationObject,
  ZodOpenApiPathsObject,
  ZodOpenApiResponseObject,
} from 'zod-openapi';
import { stageInput, submissionInput } from '../processor/dispute-calls.ts';
import { PROCESSOR_CALLS, voidInput } from '../processor/endpoints.ts';
import { refundInput } from '../processor/refunds.ts';
import { processorErrorSchema } from './errors.ts';
import { pathParameters, requestBodyOf } from './operation-parts.ts';
import { CONTROL_SCHEMAS } from './schemas.ts';

interface Call {
  readonly id: string;
  readonly summary: string;
  readonly query?: z.ZodObject;
  readonly request?: z.ZodType;
  readonly response: z.ZodType;
}

const {
  ProcessorCharge,
  ProcessorRefund,
  ProcessorCapabilities,
  ProcessorDispute,
  ProcessorEvidenceFile,
} = CONTROL_SCHEMAS;
const text = z.string().optional();
const itemsOf = (schema: z.ZodType): z.ZodType => z.object({ items: z.array(schema) });

const CALLS: Readonly<Record<string, Call>> = {
  'GET /processor/charges': {
    id: 'searchCharges',
    summary: 'Search charges by what a network tells of them',
    query: z.object({
      reference: text,
      acquirer_reference_number: text,
      authorisation_code: text,
      card_bin: text,
      card_last4: text,
      amount_in_cents: text,
      currency: text,
      authorised_from: text,
      authorised_to: text,
    }),
    response: itemsOf(ProcessorCharge),
  },
  'GET /processor/charges/{reference}': {
    id: 'readCharge',
    summary: 'Read a charge with its refunds',
    response: ProcessorCharge,
  },
  'POST /processor/refunds': {
    id: 'refundCharge',
    summary: 'Refund once per Idempotency-Key; a refusal is a refund with status failed',
    request: refundInput,
    response: ProcessorRefund,
  },
  'GET /processor/refunds': {
    id: 'findRefunds',
    summary: 'Find refunds by their idempotency key',
    query: z.object({ idempotency_key: text }),
    response: itemsOf(ProcessorRefund),
  },
  'POST /processor/voids': {
    id: 'voidCharge',
    summary: 'Void an authorisation',
    request: voidInput,
    response: ProcessorCharge,
  },
  'POST /processor/subscriptions/{reference}/cancel': {
    id: 'cancelSubscription',
    summary: 'Cancel a subscription',
    response: z.object({ reference: z.string(), status: z.string() }),
  },
  'GET /processor/capabilities': {
    id: 'readCapabilities',
    summary: 'What the processor can do',
    response: ProcessorCapabilities,
  },
  'GET /processor/disputes': {
    id: 'listDisputes',
    summary: 'Disputes that changed since, oldest change first, a page at a time',
    query: z.object({ changed_since: text, cursor: text }),
    response: z.object({ items: z.array(ProcessorDispute), cursor: z.string().nullable() }),
  },
  'GET /processor/disputes/{reference}': {
    id: 'readDispute',
    summary: 'Read a dispute, with what it takes as evidence and what was handed in',
    response: ProcessorDispute,
  },
  'POST /processor/disputes/{reference}/files': {
    id: 'stageEvidenceFile',
    summary: 'Stage a file of evidence once per Idempotency-Key; nothing is handed in yet',
    request: stageInput,
    response: ProcessorEvidenceFile,
  },
  'POST /processor/disputes/{reference}/submission': {
    id: 'submitEvidence',
    summary: 'Hand evidence in: once for a dispute, until it is due',
    request: submissionInput,
    response: ProcessorDispute,
  },
  'POST /processor/disputes/{reference}/acceptance': {
    id: 'acceptDispute',
    summary: 'Give the dispute up',
    response: ProcessorDispute,
  },
};

export function processorPaths(): ZodOpenApiPathsObject {
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const { method, path } of PROCESSOR_CALLS) {
    const call = CALLS[`${method} ${path}`];
    if (call === undefined) continue;
    paths[path] = { ...paths[path], [method.toLowerCase()]: describe(method, path, call) };
  }
  return paths;
}

const KEYED = z.object({ 'Idempotency-Key': z.string().optional() });

function describe(method: string, path: string, call: Call): ZodOpenApiOperationObject {
  const { query, request } = call;
  return {
    operationId: call.id,
    tags: ['Processor'],
    summary: call.summary,
    security: [{ callSignature: [] }, {}],
    requestParams: {
      ...pathParameters(path),
      ...(query === undefined ? {} : { query }),
      ...(method === 'POST' ? { header: KEYED } : {}),
    },
    ...requestBodyOf(request),
    responses: {
      '200': {
        description: call.summary,
        content: { 'application/json': { schema: call.response } },
      },
      '400': refusedBy('The idempotency key was used for another request'),
      '401': refusedBy('The call is not signed with the secret'),
      '404': refusedBy('There is no such charge, or it is not stated'),
      '422': { description: 'The form of the request is wrong' },
      '501': refusedBy('Not offered'),
    },
  };
}

function refusedBy(description: string): ZodOpenApiResponseObject {
  return { description, content: { 'application/json': { schema: processorErrorSchema } } };
}
