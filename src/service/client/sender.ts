/** The few ways an operation can be sent and its answer read. Resources are written in these words. */
import type { z } from 'zod';
import type { ReadList } from '../wire/list.ts';
import { describeIssues } from '../wire/list.ts';
import type { CallInput, Endpoint, ServiceCall } from './call.ts';
import { prepareCall } from './call.ts';
import type { ServiceAnswer } from './classify.ts';
import { unreadable } from './classify.ts';
import { readAll, readPage } from './list.ts';
import type { ClientSettings } from './options.ts';
import { request } from './request.ts';

/** A schema of something with an id. */
export type EntitySchema = z.ZodType<{ id: string }>;

/** Sends operations. Every method rejects with a `ServiceError` and nothing else. */
export interface Sender {
  /** The answer as it is, with the call it belongs to. */
  raw(endpoint: Endpoint, input: CallInput): Promise<SentCall>;
  /** One entity. When the path ends in an id, the answer must be about that id. */
  one<Schema extends EntitySchema>(
    endpoint: Endpoint,
    input: CallInput,
    schema: Schema,
  ): Promise<z.infer<Schema>>;
  /** An answer the specification does not show: the entity when it is one, else `undefined`. */
  maybe<Schema extends z.ZodType>(
    endpoint: Endpoint,
    input: CallInput,
    schema: Schema,
  ): Promise<z.infer<Schema> | undefined>;
  /** Success is all there is to know. */
  nothing(endpoint: Endpoint, input: CallInput): Promise<void>;
  page<Schema extends z.ZodType>(
    endpoint: Endpoint,
    input: CallInput,
    schema: Schema,
  ): Promise<ReadList<z.infer<Schema>>>;
  all<Schema extends EntitySchema>(
    endpoint: Endpoint,
    input: CallInput,
    schema: Schema,
  ): AsyncIterable<z.infer<Schema>>;
}

/** An answer together with the call it answers. */
export interface SentCall {
  readonly call: ServiceCall;
  readonly answer: ServiceAnswer;
}

/** Creates the sender of one client. */
export function createSender(settings: ClientSettings): Sender {
  async function raw(endpoint: Endpoint, input: CallInput): Promise<SentCall> {
    const call = prepareCall(endpoint, input);
    return { call, answer: await request(settings, call) };
  }
  return {
    raw,
    one: async (endpoint, input, schema) => readEntity(await raw(endpoint, input), input, schema),
    maybe: async (endpoint, input, schema) =>
      schema.safeParse((await raw(endpoint, input)).answer.json).data,
    nothing: async (endpoint, input): Promise<void> => {
      await raw(endpoint, input);
    },
    page: async (endpoint, input, schema) =>
      readPage(settings, prepareCall(endpoint, input), schema),
    all: (endpoint, input, schema) => ({
      [Symbol.asyncIterator]: () => readAll(settings, prepareCall(endpoint, input), schema),
    }),
  };
}

function readEntity<Schema extends EntitySchema>(
  { call, answer }: SentCall,
  input: CallInput,
  schema: Schema,
): z.infer<Schema> {
  const { httpStatus } = answer;
  const parsed = schema.safeParse(answer.json);
  if (!parsed.success) throw unreadable(call, describeIssues(parsed.error.issues), { httpStatus });
  const wanted = call.template.endsWith('}') ? input.ids?.at(-1) : undefined;
  if (wanted !== undefined && parsed.data.id !== wanted) {
    throw unreadable(call, 'it is about another id than the one asked for', { httpStatus });
  }
  return parsed.data;
}
