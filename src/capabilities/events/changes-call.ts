/**
 * `GET /api/changes`: the stream of an organisation, in order. A reader keeps the cursor that it was given last, after it has
 * stored what came with it, and so misses nothing and can be stopped at any moment.
 */
import { z } from 'zod';
import type { Db } from '../../base/db/database.ts';
import { reads } from '../../surface/access/call-needs.ts';
import type { ApiAnswer, ApiWork } from '../../surface/web/api-call.ts';
import { describeApiRead } from '../../surface/web/api-call.ts';
import type { Fault } from '../../surface/web/fault.ts';
import type { Changes } from './event.store.ts';
import { readChanges, readEnd } from './event.store.ts';
import { eventBody, eventBodyOf } from './event-body.ts';
import { EVENT_DAYS } from './events.table.ts';
import { placeProblem, unknownType, unknownTypeWords } from './place.ts';
import type { StreamWatch } from './stream-watch.ts';
import { createStreamWatch } from './stream-watch.ts';

const WAIT_S_MAX = 30;
const LIMIT_DEFAULT = 200;
const LIMIT_MAX = 1_000;

const WHOLE = /^\d{1,15}$/;

function whole(max: number, min = 0): z.ZodType<number, string> {
  return z
    .string()
    .refine((text) => WHOLE.test(text), { error: 'must be a whole number' })
    .transform(Number)
    .refine((count) => count >= min && count <= max, { error: `must be ${min} to ${max}` });
}

export const changesQuery = z.strictObject({
  after: z
    .string()
    .refine((text) => text === 'latest' || WHOLE.test(text), {
      error: 'must be a cursor that you were given, or "latest"',
    })
    .transform((text) => (text === 'latest' ? text : Number(text)))
    .optional()
    .meta({
      description:
        'The cursor of the answer before. "latest": only what comes from now on. Without it: from the first event that is kept',
    }),
  types: z
    .string()
    .refine((text) => /^[a-z_.]+(,[a-z_.]+)*$/.test(text), {
      error: 'must be types, with commas between them',
    })
    .transform((text) => text.split(','))
    .optional()
    .meta({ description: 'With commas between them, for example "refund.confirmed,alert.missed"' }),
  wait: whole(WAIT_S_MAX)
    .default(0)
    .meta({ description: `Seconds to wait where nothing is new, ${WAIT_S_MAX} at most` }),
  limit: whole(LIMIT_MAX, 1).default(LIMIT_DEFAULT),
});

const changes = z
  .strictObject({
    items: z.array(eventBody),
    cursor: z.string().meta({ description: 'For `after` of the next request; always given' }),
    has_more: z.boolean().meta({ description: 'More is there already: ask again at once' }),
  })
  .meta({ id: 'Changes' });

export const changesCall = describeApiRead({
  call: 'GET /api/changes',
  needs: reads('changes:read'),
  tag: { name: 'Events', description: 'What happened, in order, for the systems around Forestall' },
  summary: 'The events behind a cursor, in order; waits for them where asked to',
  description: `Kept for ${EVENT_DAYS} days. A reader that has a cursor never later sees an event before it.`,
  query: changesQuery,
  answers: { 200: changes },
  refusals: [409, 410],
  answer: answerChanges,
});

interface AskedChanges {
  readonly query: z.infer<typeof changesQuery>;
  readonly signal: AbortSignal;
}

function answerChanges({ options, eventKinds }: ApiWork) {
  const { db, log, organisationId } = options;
  const watch = createStreamWatch({ db, log, organisationId });
  const known = eventKinds.map(({ type }) => type);

  return async (asked: AskedChanges): Promise<ApiAnswer> => {
    const { types = [], after } = asked.query;
    const { signal } = asked;
    const fault = typeFault(types, known);
    if (fault !== undefined) return { status: 400, fault };
    const from = after === 'latest' ? await readEnd(db, organisationId) : after;
    return await readInTime({ db, organisationId, watch }, from, { ...asked.query, types, signal });
  };
}

interface Stream {
  readonly db: Db;
  readonly organisationId: string;
  readonly watch: StreamWatch;
}

/** Looks again each time the stream goes on, until something is found, or the time is over. */
async function readInTime(
  { db, organisationId, watch }: Stream,
  after: number | undefined,
  asked: {
    readonly types: readonly string[];
    readonly limit: number;
    readonly wait: number;
    readonly signal: AbortSignal;
  },
): Promise<ApiAnswer> {
  const { types, limit, wait, signal } = asked;
  const until = performance.now() + wait * 1_000;
  for (let from = after; ; ) {
    const found = await readChanges(db, { organisationId, after: from ?? 0, types, limit });
    const refused = from === undefined ? undefined : placeFault(from, found);
    if (refused !== undefined) return refused;
    const waitMs = until - performance.now();
    if (found.events.length > 0 || waitMs <= 0 || signal.aborted) {
      return { status: 200, body: changesJson(organisationId, found) };
    }
    from = found.cursor;
    if (from === found.last) await watch.beyond(from, { waitMs, signal });
  }
}

function changesJson(organisationId: string, { events, cursor, last }: Changes): object {
  return {
    items: events.map((event) => eventBodyOf(organisationId, event)),
    cursor: String(cursor),
    has_more: cursor < last,
  };
}

/** Why the stream cannot be read on from a position. */
function placeFault(after: number, found: Changes): ApiAnswer | undefined {
  const problem = placeProblem(after, found);
  if (problem === undefined) return undefined;
  const { reason, message: said, next } = problem;
  const message = `${said} Read the present state from /api/alerts, then go on from after=${next}.`;
  return reason === 'ahead'
    ? { status: 409, fault: { code: 'CURSOR_AHEAD', message, field: 'after' } }
    : { status: 410, fault: { code: 'CURSOR_TOO_OLD', message, field: 'after' } };
}

function typeFault(types: readonly string[], known: readonly string[]): Fault | undefined {
  const unknown = unknownType(types, known);
  if (unknown === undefined) return undefined;
  const message = `types: ${unknownTypeWords(unknown, known)}`;
  return { code: 'INVALID_REQUEST', message, field: 'types' };
}
