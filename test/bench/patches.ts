/**
 * Measures how a backlog of alerts is answered: the share of the service's limit that PATCHes use, in
 * which order they go, and whether any comes too late. With refunds, how many alerts a minute are
 * refunded at the processor and declared so.
 *
 * Goal (design, Performance, row 10): 95 % or more of the 100 PATCHes a minute that the limit allows,
 * earliest deadline first, none missed, no 429. Method: alerts are taken in while no worker runs, in an
 * order that has nothing to do with their deadlines, which from 200 alerts on are so near that another
 * order would miss some. Then one worker starts. Everything is what runs in production, the shared request budget
 * included; the sandbox enforces its limit. Time is the machine's: leases and grants run out by it, so
 * a moved clock would measure something else. What is measured is mostly waiting, so the machine's
 * speed hardly matters.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Policy } from '../../src/alerts/decide/policy.ts';
import { sourceOfUrl } from '../../src/base/db/source.ts';
import { closeServer, listen } from '../../src/base/http/listen.ts';
import { migrateBoss } from '../../src/base/jobs/boss.ts';
import { REQUESTS_PER_MINUTE_MAX } from '../../src/base/kernel/limits.ts';
import { createLog } from '../../src/base/kernel/log.ts';
import { NO_PROGRAMMES } from '../../src/orders/programme.ts';
import { loadPolicy } from '../../src/policy/load.ts';
import { createOrders } from '../../src/running/embed/orders.ts';
import type { OrganisationParts } from '../../src/running/roles/parts.ts';
import { openParts } from '../../src/running/roles/parts.ts';
import { createServeRole } from '../../src/running/roles/serve.ts';
import { startWorkRole } from '../../src/running/roles/workers.ts';
import { startTestDatabase } from '../../src/running/testing/test-database.ts';
import { makeSale, PRODUCTS } from '../../src/sandbox/demo-shop.ts';
import type { Sandbox } from '../../src/sandbox/index.ts';
import { createSandbox } from '../../src/sandbox/index.ts';
import type { RequestEntry } from '../../src/sandbox/request-log.ts';
import { createHttpProcessor } from '../../src/service/processor/http-processor.ts';
import { IDENTITY_BRAND_TOKENS } from '../../src/service/wire/brand-tokens.ts';

/** Target of `limitShare`, together with no 429 and none missed. */
export const PATCH_SHARE_MIN = 0.95;

/** Answers that may leave before a more urgent one: those that one worker has in hand at once. */
export const OUT_OF_ORDER_MAX = 8;

/** How the backlog was answered. */
export interface PatchBenchReport {
  readonly alerts: number;
  /** Alerts whose answer the service took before their deadline. */
  readonly answered: number;
  /** Alerts that we recorded as missed. */
  readonly missed: number;
  /** PATCHes sent in an earlier minute than one for a more urgent alert. */
  readonly outOfOrder: number;
  readonly rateLimited: number;
  /** Share of the limit while there was a backlog, from 0 to 1; null when the backlog never met it. */
  readonly limitShare: number | null;
  /** From the first PATCH to the last. */
  readonly minutes: number;
  /** Alerts whose charge was refunded, once and in full, before the service took `REFUND`. */
  readonly refunded: number;
  /** GETs of single alerts. */
  readonly reads: number;
}

/** What is measured. */
export interface PatchBenchOptions {
  readonly alerts: number;
  /** @default every dispute is accepted, which moves no money */
  readonly policy?: Policy;
  /** How long the most urgent alert has. @default so short that another order would miss some */
  readonly firstDeadlineMinutes?: number;
}

/** The first deadline, and how many follow in a minute: fewer than the 96 that can be answered. */
const FIRST_DEADLINE_MINUTES = 2;
const DUE_PER_MINUTE = 75;
/** Strides through all places when it shares no factor with their number. */
const STRIDE = 179;
/** A silence so long stands between what two minutes of the limit allow, in milliseconds. */
const SILENCE_MS = 10_000;
/** How much longer than the limit requires the worker is waited for, in milliseconds. */
const GRACE_MS = 120_000;

const SECRET = 'processor-secret-for-the-bench';
const ACCEPT_ALL = 'name: Bench\nrules: []\notherwise: ACCEPT_DISPUTE\n';
const PATCH = 'PATCH /v1/alerts/{alert_id}';
const GET = 'GET /v1/alerts/{alert_id}';

/** Runs the bench on a PostgreSQL of its own. Takes a minute for every hundred alerts. */
export async function benchPatches({
  alerts,
  policy = loadPolicy(ACCEPT_ALL, { file: 'bench.yaml' }),
  firstDeadlineMinutes = FIRST_DEADLINE_MINUTES,
}: PatchBenchOptions): Promise<PatchBenchReport> {
  const server = await startTestDatabase();
  const sandbox = await createSandbox({ processorSecret: SECRET });
  const { accounts } = sandbox;
  const log = createLog({ level: 'silent' });
  const place = {
    database: sourceOfUrl(server.url, { organisation: accounts.organisationId }),
    organisationId: accounts.organisationId,
    integrationId: accounts.integrationId,
    serviceUrl: sandbox.url,
    apiKey: accounts.organisationKey,
    partnerApiKey: accounts.partnerKey,
    brandTokens: IDENTITY_BRAND_TOKENS,
  };
  await migrateBoss(place.database.jobs, log);
  const parts = await openParts(place, log);
  try {
    const raised = await takeIn({ parts, sandbox, alerts, firstDeadlineMinutes });
    const { clock } = parts;
    const worker = await startWorkRole(parts, {
      processor: createHttpProcessor({ baseUrl: sandbox.processorUrl, secret: SECRET, clock }),
      policy: { current: () => policy, refresh: () => false },
      mode: 'live',
      reconcileSeconds: 120,
    });
    await untilAnswered(sandbox, alerts);
    await worker.stop();
    return await judge({ parts, sandbox, raised });
  } finally {
    await parts.close();
    await sandbox.close();
    await server.stop();
  }
}

interface Given {
  readonly parts: OrganisationParts;
  readonly sandbox: Sandbox;
}

interface RaisedAlert {
  /** Reference of the charge it is about. */
  readonly charge: string;
  readonly deadlineMs: number;
}

interface Taken extends Given {
  readonly alerts: number;
  readonly firstDeadlineMinutes: number;
}

/** Sells, raises the alerts and receives their webhooks; answers with the alerts by their ids. */
async function takeIn({
  parts,
  sandbox,
  alerts,
  firstDeadlineMinutes,
}: Taken): Promise<ReadonlyMap<string, RaisedAlert>> {
  const serve = createServeRole(parts, {
    webhookSecrets: [sandbox.accounts.webhookSecret],
    tls: undefined,
  });
  const port = await listen(serve.server, { port: 0, host: '127.0.0.1', setting: 'PORT' });
  const orders = createOrders(parts, NO_PROGRAMMES);
  const sales = Array.from({ length: alerts }, () =>
    makeSale({ product: PRODUCTS.font }, sandbox.clock.nowMs()),
  );
  for (const { charge } of sales) sandbox.createCharge(charge);
  await orders.accept(sales.map(({ order }) => order));
  sandbox.pointWebhooksAt(`http://127.0.0.1:${port}/webhooks`);
  const raised = new Map<string, RaisedAlert>();
  for (const [index, { charge }] of sales.entries()) {
    const place = (index * STRIDE) % alerts;
    const minutes = firstDeadlineMinutes + place / DUE_PER_MINUTE;
    const nowMs = sandbox.clock.nowMs();
    const { id } = sandbox.createAlertFor(charge.reference, { deadline_hours: minutes / 60 });
    raised.set(id, { charge: charge.reference, deadlineMs: nowMs + minutes * 60_000 });
  }
  await sandbox.settle();
  await closeServer(serve.server, 200);
  await serve.close();
  return raised;
}

async function untilAnswered(sandbox: Sandbox, alerts: number): Promise<void> {
  const minutes = Math.ceil(alerts / 90);
  const endMs = performance.now() + minutes * 61_000 + GRACE_MS;
  while (performance.now() < endMs && taken(sandbox).length < alerts) await sleep(500);
}

function taken(sandbox: Sandbox): readonly RequestEntry[] {
  return sandbox.requests().filter(({ endpoint, status }) => endpoint === PATCH && status === 200);
}

async function judge({
  parts,
  sandbox,
  raised,
}: Given & { readonly raised: ReadonlyMap<string, RaisedAlert> }): Promise<PatchBenchReport> {
  const requests = sandbox.requests();
  const sent = requests.filter(({ endpoint }) => endpoint === PATCH);
  const deadlineOf = (request: RequestEntry): number =>
    raised.get(alertIdOf(request))?.deadlineMs ?? 0;
  const inTime = taken(sandbox).filter((request) => request.atMs < deadlineOf(request));
  const missed = await parts.database.db
    .selectFrom('alert_case')
    .select('alert_id')
    .where('missed_at', 'is not', null)
    .execute();
  const firstMs = sent[0]?.atMs ?? 0;
  const bursts = inBursts(sent);
  const lastBurstMs = bursts.at(-1)?.[0]?.atMs ?? firstMs;
  const fullMinutes = (lastBurstMs - firstMs) / 60_000;
  const before = bursts.slice(0, -1).flat().length;
  return {
    alerts: raised.size,
    answered: new Set(inTime.map(alertIdOf)).size,
    missed: missed.length,
    outOfOrder: countOutOfOrder(bursts.map((burst) => burst.map(deadlineOf))),
    rateLimited: requests.filter(({ status }) => status === 429).length,
    limitShare: fullMinutes === 0 ? null : before / (fullMinutes * REQUESTS_PER_MINUTE_MAX),
    minutes: ((sent.at(-1)?.atMs ?? firstMs) - firstMs) / 60_000,
    refunded: countRefunded(sandbox, raised),
    reads: requests.filter(({ endpoint }) => endpoint === GET).length,
  };
}

/** By the books of service and processor: money back in full, once, and declared after that. */
function countRefunded(sandbox: Sandbox, raised: ReadonlyMap<string, RaisedAlert>): number {
  const declared = sandbox.patchLog.filter(
    ({ action, http_status }) => action === 'REFUND' && http_status === 200,
  );
  return declared.filter(({ alert_id, at }) => {
    const charge = sandbox
      .charges()
      .find(({ reference }) => reference === raised.get(alert_id)?.charge);
    const [refund, ...others] = charge?.refunds ?? [];
    return (
      refund?.status === 'succeeded' &&
      others.length === 0 &&
      refund.amount_in_cents === charge?.amount_in_cents &&
      refund.created_at <= at
    );
  }).length;
}

/** What was sent without a long silence in between. */
function inBursts(sent: readonly RequestEntry[]): RequestEntry[][] {
  const bursts: RequestEntry[][] = [];
  for (const [index, request] of sent.entries()) {
    const sinceMs = request.atMs - (sent[index - 1]?.atMs ?? Number.NEGATIVE_INFINITY);
    if (sinceMs >= SILENCE_MS) bursts.push([]);
    bursts.at(-1)?.push(request);
  }
  return bursts;
}

/** How many have a later deadline than one of a later burst. */
function countOutOfOrder(bursts: readonly (readonly number[])[]): number {
  let earliestLaterMs = Number.POSITIVE_INFINITY;
  let count = 0;
  for (const deadlines of [...bursts].reverse()) {
    count += deadlines.filter((deadlineMs) => deadlineMs > earliestLaterMs).length;
    earliestLaterMs = Math.min(earliestLaterMs, ...deadlines);
  }
  return count;
}

function alertIdOf({ path }: RequestEntry): string {
  return path.split('/').filter(Boolean).at(-1) ?? '';
}
