/** `forestall events endpoints` and `forestall events test <endpoint>`. */

import { writeAudit } from '../../base/audit/audit.store.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { ConfigError } from '../../base/kernel/errors.ts';
import type { CommandContext } from '../../surface/terminal/command.ts';
import { describeCommand } from '../../surface/terminal/command.ts';
import type { DeliveryItem } from './delivery.store.ts';
import { listDeliveries, noteTest, TEST_EVENT } from './delivery.store.ts';
import type { EndpointItem } from './endpoint.store.ts';
import { listEndpoints } from './endpoint.store.ts';
import type { Attempt } from './events.table.ts';

const endpointsCommand = describeCommand({
  usage: 'events endpoints',
  says: 'the endpoints that are told of events, and whether they take them',
  examples: ['forestall events endpoints', 'forestall events endpoints --json'],
  run:
    () =>
    async ({ db, organisationId }) => {
      const endpoints = await listEndpoints(db, organisationId);
      const none =
        'No endpoint yet. Add one in the console under Endpoints, or with FORESTALL_ENDPOINTS.';
      const text = endpoints.length === 0 ? none : endpoints.map(lineOf).join('\n');
      return {
        data: { endpoints },
        text,
        isWrong: endpoints.some(({ off_reason: why }) => why !== null),
      };
    },
});

function lineOf(endpoint: EndpointItem): string {
  const { name, url, state, failing_since: since, off_reason: why, retrying, behind } = endpoint;
  const off = why === null ? 'off' : `off: ${why}`;
  const on = since === null ? 'on' : `fails since ${since.toISOString()}`;
  const how = state === 'OFF' ? off : on;
  const waits = `${retrying + behind} waiting, ${endpoint.given_up} given up`;
  return `${name}  ${url}\n  ${how}; ${waits}`;
}

/** How long an answer is waited for, in seconds. */
const WAIT_SECONDS = 30;

const testCommand = describeCommand({
  usage: 'events test <endpoint>',
  says: 'sends a test event to an endpoint and shows what it answered; a worker has to run',
  examples: ['forestall events test shop'],
  run:
    (_flags, ...[name = '']) =>
    async (context) => {
      const { db, clock, organisationId } = context;
      const endpoint = await findEndpoint(context, name);
      const about = {
        organisationId,
        endpointId: endpoint.id,
        name: endpoint.name,
        now: nowDate(clock),
      };
      const before = await newestTest(context, endpoint.id);
      await inTransaction(db, async (trx) => {
        await noteTest(trx, { ...about, by: 'forestall events test' });
        await writeAudit(trx, {
          organisationId,
          at: about.now,
          subject: 'system',
          subjectId: endpoint.id,
          actor: 'forestall events test',
          what: 'sent a test event',
        });
      });
      const found = await waitForAttempt(context, endpoint.id, before?.seq ?? 0);
      const attempt = found?.attempts.at(-1);
      const text = attempt === undefined ? NO_ATTEMPT : attemptLine(attempt);
      return {
        data: { endpoint: endpoint.name, attempt: attempt ?? null },
        text,
        isWrong: attempt?.fault !== null,
      };
    },
});

const NO_ATTEMPT = `No worker has tried it within ${WAIT_SECONDS} s: start one, or look at its page under Endpoints.`;

function attemptLine({ fault, status, duration_ms: tookMs, answer }: Attempt): string {
  const end = fault ?? `HTTP ${status ?? ''}`;
  return `${end} after ${tookMs} ms${answer === '' ? '' : `: ${answer}`}`;
}

/** @throws {ConfigError} where there is none, or it is off */
async function findEndpoint(
  { db, organisationId }: CommandContext,
  name: string,
): Promise<EndpointItem> {
  const all = await listEndpoints(db, organisationId);
  const endpoint = all.find((each) => each.name === name || each.id === name);
  if (endpoint === undefined) {
    const names = all.map((each) => each.name).join(', ');
    throw new ConfigError(
      `There is no endpoint “${name}”. There ${names === '' ? 'is none' : `are: ${names}`}.`,
    );
  }
  if (endpoint.state !== 'ON')
    throw new ConfigError(
      `The endpoint “${name}” is off. Switch it on in the console, under Endpoints.`,
    );
  return endpoint;
}

async function newestTest(
  { db, organisationId }: CommandContext,
  endpointId: string,
): Promise<DeliveryItem | undefined> {
  const found = await listDeliveries(db, { organisationId, endpointId, limit: 50 });
  return found.find(({ type }) => type === TEST_EVENT);
}

/** The first attempt at a test event behind this position; undefined: none in time. */
async function waitForAttempt(
  context: CommandContext,
  endpointId: string,
  behind: number,
): Promise<DeliveryItem | undefined> {
  for (let waited = 0; waited < WAIT_SECONDS * 2; waited += 1) {
    const found = await newestTest(context, endpointId);
    if (found !== undefined && found.seq > behind && found.attempts.length > 0) return found;
    await new Promise((done) => setTimeout(done, 500));
  }
  return undefined;
}

export const endpointCommands = [endpointsCommand, testCommand];
