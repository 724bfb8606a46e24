/**
 * Measures what one refunded alert costs in SQL: statements and transactions from its first webhook to
 * its closed case, and what the service's answer to our declaration brings after it.
 *
 * Goals: at most 60 statements, and at most 3 a second without alerts. Method: one worker and one receiver
 * run as in production, on a PostgreSQL that counts what it is asked. Two minutes with 20 alerts, one after
 * another, are compared with two minutes without: the difference belongs to the alerts. Two minutes each,
 * because some loops run once a minute, and the service is polled every two. Counts hardly depend on the
 * machine's speed.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { startEmbeddedPostgres } from '../../src/base/db/embedded/embedded.ts';
import { migrateToLatest } from '../../src/base/db/migrate.ts';
import { sourceOfUrl } from '../../src/base/db/source.ts';
import { closeServer, listen } from '../../src/base/http/listen.ts';
import { migrateBoss } from '../../src/base/jobs/boss.ts';
import { createLog } from '../../src/base/kernel/log.ts';
import { NO_PROGRAMMES } from '../../src/orders/programme.ts';
import { demonstrationPolicy } from '../../src/policy/built-in.ts';
import { createOrders } from '../../src/running/embed/orders.ts';
import { openParts } from '../../src/running/roles/parts.ts';
import { createServeRole } from '../../src/running/roles/serve.ts';
import { startWorkRole } from '../../src/running/roles/workers.ts';
import { makeSale, PRODUCTS } from '../../src/sandbox/demo-shop.ts';
import type { Sandbox } from '../../src/sandbox/index.ts';
import { createSandbox } from '../../src/sandbox/index.ts';
import { createHttpProcessor } from '../../src/service/processor/http-processor.ts';
import { IDENTITY_BRAND_TOKENS } from '../../src/service/wire/brand-tokens.ts';
import type { Asked } from './statement-log.ts';
import { openStatementLog, UNCOUNTED } from './statement-log.ts';

/** Target of `statements`. */
export const STATEMENTS_MAX = 60;

/** Target of `idlePerSecond`. */
export const IDLE_PER_SECOND_MAX = 3;

/** A statement and how often one alert executes it. */
export interface StatementCount {
  readonly text: string;
  readonly times: number;
}

/** What one alert cost, without what a minute asks anyway. */
export interface StatementReport {
  readonly alerts: number;
  /** Alerts refunded once at the processor, whose case is closed. */
  readonly refunded: number;
  readonly statements: number;
  readonly transactions: number;
  /** Statements a second without alerts. */
  readonly idlePerSecond: number;
  /** The most frequent first. */
  readonly byText: readonly StatementCount[];
}

const ALERTS = 20;
const WARM_UP_ALERTS = 3;
const RECONCILE_SECONDS = 120;
/** How long is counted, with alerts and without, in milliseconds: with one poll each. */
const WINDOW_MS = RECONCILE_SECONDS * 1_000;
const STEP_MS = WINDOW_MS / ALERTS;
/** Alerts of the warm-up get this long, in milliseconds. */
const WARM_UP_MS = 15_000;
const SECRET = 'processor-secret-for-the-bench';

/** A receiver and a worker beside a service that is quiet. */
export interface Running {
  readonly sandbox: Sandbox;
  /** Charges that alerts may be raised about. */
  readonly charges: string[];
  stop(): Promise<void>;
}

/** Runs the bench on a PostgreSQL of its own. Takes four and a half minutes. */
export async function benchStatements(): Promise<StatementReport> {
  const server = await startEmbeddedPostgres({ temporary: true, volatile: true });
  try {
    const running = await startRunning(server.connectionString, ALERTS + WARM_UP_ALERTS);
    try {
      const { sandbox, charges } = running;
      await raise(running, charges.splice(0, WARM_UP_ALERTS), 0);
      await sleep(WARM_UP_MS);
      const count = await openStatementLog(server);
      const idle = await count(() => sleep(WINDOW_MS));
      const busy = await count(() => raise(running, charges, STEP_MS));
      const closed = await countClosed(server.connectionString);
      const refunded = charges.filter((charge) => sandbox.moneyOut(charge).count === 1).length;
      return {
        alerts: ALERTS,
        refunded: Math.min(refunded, closed - WARM_UP_ALERTS),
        statements: (busy.statements - idle.statements) / ALERTS,
        transactions: (busy.transactions - idle.transactions) / ALERTS,
        idlePerSecond: idle.statements / (WINDOW_MS / 1_000),
        byText: differences(idle, busy),
      };
    } finally {
      await running.stop();
    }
  } finally {
    await server.stop();
  }
}

/** Receiver and worker, with orders and charges that no alert is about yet. */
export async function startRunning(connectionString: string, sold: number): Promise<Running> {
  const sandbox = await createSandbox({ processorSecret: SECRET });
  const { accounts } = sandbox;
  const log = createLog({ level: 'silent' });
  // Connections are of the one organisation, as in an installation of one.
  const source = sourceOfUrl(connectionString, { organisation: accounts.organisationId });
  const migration = source.migration.open(log);
  await migrateToLatest(migration.db);
  await migration.close();
  await migrateBoss(source.migration.jobs, log);
  const place = {
    database: source,
    organisationId: accounts.organisationId,
    integrationId: accounts.integrationId,
    serviceUrl: sandbox.url,
    apiKey: accounts.organisationKey,
    partnerApiKey: accounts.partnerKey,
    brandTokens: IDENTITY_BRAND_TOKENS,
  };
  const parts = await openParts(place, log);
  const sales = Array.from({ length: sold }, () =>
    makeSale({ product: PRODUCTS.font }, sandbox.clock.nowMs()),
  );
  for (const { charge } of sales) sandbox.createCharge(charge);
  await createOrders(parts, NO_PROGRAMMES).accept(sales.map(({ order }) => order));
  const serve = createServeRole(parts, {
    webhookSecrets: [accounts.webhookSecret],
    tls: undefined,
  });
  const port = await listen(serve.server, { port: 0, host: '127.0.0.1', setting: 'PORT' });
  sandbox.pointWebhooksAt(`http://127.0.0.1:${port}/webhooks`);
  const policy = demonstrationPolicy();
  const { clock } = parts;
  const worker = await startWorkRole(parts, {
    processor: createHttpProcessor({ baseUrl: sandbox.processorUrl, secret: SECRET, clock }),
    policy: { current: () => policy, refresh: () => false },
    mode: 'live',
    reconcileSeconds: RECONCILE_SECONDS,
  });
  return {
    sandbox,
    charges: sales.map(({ charge }) => charge.reference),
    async stop(): Promise<void> {
      await worker.stop();
      await closeServer(serve.server, 200);
      await serve.close();
      await parts.close();
      await sandbox.close();
    },
  };
}

async function raise(
  { sandbox }: Running,
  charges: readonly string[],
  stepMs: number,
): Promise<void> {
  const startedMs = performance.now();
  for (const [index, charge] of charges.entries()) {
    sandbox.createAlertFor(charge);
    await sleep(Math.max(0, startedMs + (index + 1) * stepMs - performance.now()));
  }
}

async function countClosed(connectionString: string): Promise<number> {
  const client = new pg.Client({ connectionString, application_name: UNCOUNTED });
  await client.connect();
  const { rows } = await client.query<{ closed: number }>(
    "select count(*)::int as closed from alert_case where state = 'DECLARED_REFUND'",
  );
  await client.end();
  return rows[0]?.closed ?? 0;
}

function differences(idle: Asked, busy: Asked): StatementCount[] {
  return [...busy.byText]
    .map(([text, times]) => ({ text, times: (times - (idle.byText.get(text) ?? 0)) / ALERTS }))
    .sort((a, b) => b.times - a.times);
}
