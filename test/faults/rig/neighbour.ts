/**
 * A second organisation in the same installation and the same database: the fault cases happen to the first one, and this
 * one has each of their charges and alerts too, name for name, at another amount, at a service and a processor of its own.
 * Whatever befalls the first, here each alert must be refunded and answered once, as if nobody else was there.
 */
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { INVENTORY } from '../../../src/running/privacy/inventory.ts';
import { FOREIGN_ROWS } from '../../support/foreign-rows.ts';
import type { CaseResult } from '../case.ts';
import { alertOf } from './aside.ts';
import { openLittleService } from './little-service.ts';
import type { ChargeFields } from './processor-types.ts';
import { remoteProcessor } from './remote.ts';
import type { OfFirst, Rig } from './rig.ts';
import { startProcessor } from './rig.ts';
import { digest, send } from './sign.ts';
import { until } from './until.ts';

/** What every alert and charge of it is about, whatever those of the first are about. */
const AMOUNT_MINOR = 4_911;
/** Its alerts stay open for long: time moves by days here. */
const MONTH_MS = 30 * 86_400_000;
const PATIENCE_MS = 240_000;
/** Events of the first organisation that it is sent as well. */
const EVENTS_SHARED = 20;

/** The second organisation. */
export interface Neighbour {
  readonly organisationId: string;
  /** For the processes of the world: both organisations, in place of the one of their settings. */
  readonly env: Readonly<Record<string, string>>;
  /** A charge and an alert of the first organisation, here too. */
  dispute(charge: ChargeFields, alertId: string, aheadMs: number): Promise<void>;
  moveClock(aheadMs: number): Promise<void>;
  /** Asks as the cases do, who know nothing of a second organisation. */
  sqlOfFirst(address: string, text: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
  /** Waits until everything is answered, and compares. */
  check(rig: Rig): Promise<CaseResult>;
  close(): Promise<void>;
}

/** Opens its world and writes the installation with both. */
export async function openNeighbour(folder: string, first: OfFirst): Promise<Neighbour> {
  const organisationId = `org_neighbour${randomBytes(6).toString('hex')}`;
  const secrets = {
    NEIGHBOUR_API_KEY: `key-${randomBytes(12).toString('hex')}`,
    NEIGHBOUR_WEBHOOK_SECRET: `whsec_${randomBytes(16).toString('hex')}`,
    NEIGHBOUR_PROCESSOR_SECRET: `processor-${randomBytes(12).toString('hex')}`,
  };
  const child = startProcessor(folder, {
    name: 'neighbour-processor',
    secret: secrets.NEIGHBOUR_PROCESSOR_SECRET,
  });
  const service = await openLittleService();
  const port = Number((await child.printed(/listening (\d+)/))[1]);
  const processor = remoteProcessor(`http://127.0.0.1:${port}`);
  const file = join(folder, 'installation.yaml');
  await writeFile(
    file,
    `version: 1
organisations:
  - id: ${first.FORESTALL_ORGANISATION_ID}
    name: World
    path: world
    integration: ${first.FORESTALL_INTEGRATION_ID}
    api_key: {env: FORESTALL_API_KEY}
    webhook_secrets: [{env: FORESTALL_WEBHOOK_SECRETS}]
  - id: ${organisationId}
    name: Neighbour
    path: neighbour
    service_url: ${service.url}
    api_key: {env: NEIGHBOUR_API_KEY}
    webhook_secrets: [{env: NEIGHBOUR_WEBHOOK_SECRET}]
    processor: ${processor.url}
    processor_secret: {env: NEIGHBOUR_PROCESSOR_SECRET}
`,
  );
  const charges = new Map<string, ChargeFields>();
  const looks = new Map<string, Promise<pg.Pool>>();

  const faultsIn = async (rig: Rig): Promise<string[]> => {
    const { ledger } = await processor.books();
    const { ledger: others } = await rig.processor.books();
    const foreign = await rig.postgres.query(rig.database, FOREIGN_ROWS, [
      [rig.organisationId, organisationId],
    ]);
    return [
      ...[...charges].flatMap(([alertId, { reference }]) => {
        const refunds = ledger.filter(({ charge }) => charge === reference);
        const answers = service.patches.filter(({ alert_id: id }) => id === alertId);
        const isRefunded = refunds.length === 1 && refunds[0]?.amountMinor === AMOUNT_MINOR;
        const isAnswered = answers.map(({ action }) => action).join() === 'REFUND';
        return isRefunded && isAnswered
          ? []
          : [`${alertId}: ${JSON.stringify(refunds)}, ${JSON.stringify(answers)}`];
      }),
      ...ledger
        .filter(({ charge }) => ![...charges.values()].some((each) => each.reference === charge))
        .map(({ charge }) => `it refunded ${charge}, which it was never asked about`),
      ...others
        .filter(({ amountMinor }) => amountMinor === AMOUNT_MINOR)
        .map(({ charge }) => `its amount was refunded at the first one's processor, on ${charge}`),
      ...foreign.map(({ place, id }) => `a row of ${place} of ${id} names the other one`),
    ];
  };
  /** Each gets its own: what it was sent under the same id is stored beside the other's. */
  const shareEvents = async (rig: Rig): Promise<number> => {
    const known = await rig.sql(`select event_id from inbox_id order by 1 limit ${EVENTS_SHARED}`);
    for (const { event_id: id } of known) {
      const body = JSON.stringify({ id, type: 'alert.note', data: { object: { id } } });
      const t = String(Math.floor((Date.now() + rig.aheadMs()) / 1_000));
      const signature = `t=${t},v1=${digest(secrets.NEIGHBOUR_WEBHOOK_SECRET, t, body)}`;
      const headers = { 'content-type': 'application/json', 'x-signature': signature };
      for (const path of ['/webhooks/neighbour', '/webhooks']) {
        const { status } = await send({ port: rig.port('serve'), path, body, headers });
        if (status !== 200) throw new Error(`the event ${String(id)} was answered ${status}`);
      }
    }
    const [stored] = await rig.postgres.query(
      rig.database,
      'select count(*)::int as count from inbox_id where organisation_id = $1 and event_id = any($2)',
      [organisationId, known.map(({ event_id: id }) => id)],
    );
    if (stored?.['count'] !== known.length) throw new Error('events of the other were not stored');
    return known.length;
  };
  return {
    organisationId,
    env: { ...secrets, FORESTALL_INSTALLATION: file },
    moveClock: (aheadMs) => processor.moveClock(aheadMs),
    async sqlOfFirst(address, text, values): Promise<Record<string, unknown>[]> {
      const looking = looks.get(address) ?? openLooks(address, first.FORESTALL_ORGANISATION_ID);
      // After a failover the address is another server's.
      looks.set(address, looking);
      const pool = await looking.catch((error: unknown) => {
        looks.delete(address);
        throw error;
      });
      const look = (): Promise<pg.QueryResult> => pool.query(text, values);
      const result = await look().catch((error: unknown) => {
        if (/terminat|ECONNRESET/i.test(String(error))) return look();
        throw error;
      });
      return Array.isArray(result) ? [] : result.rows;
    },
    async dispute(charge, alertId, aheadMs): Promise<void> {
      const twin = [...charges.values()].find(
        (each) =>
          each.acquirer_reference_number === charge.acquirer_reference_number &&
          each.reference !== charge.reference,
      );
      // Which of two it is about is for people to say.
      if (twin !== undefined) return;
      const plain: ChargeFields = {
        ...charge,
        status: 'captured',
        amount_in_cents: AMOUNT_MINOR,
        currency: 'USD',
        disputed: false,
      };
      await processor.setCharge(plain);
      charges.set(alertId, plain);
      const open = new Date(Date.now() + aheadMs + MONTH_MS).toISOString();
      const alert = alertOf(organisationId, plain, aheadMs);
      service.show({ ...alert, id: alertId, action_required_deadline: open });
    },
    async check(rig): Promise<CaseResult> {
      const startedMs = performance.now();
      const isAnswered = (): boolean =>
        [...charges.keys()].every((id) => service.patches.some((patch) => patch.alert_id === id));
      const faults: string[] = [];
      await until(
        'every alert of the second organisation is answered',
        async () => isAnswered() || undefined,
        PATIENCE_MS,
      ).catch((error: unknown) => faults.push(String(error)));
      const shared = await shareEvents(rig).catch((error: unknown) => {
        faults.push(String(error));
        return 0;
      });
      faults.push(...(await faultsIn(rig)));
      return {
        id: 'ORG2',
        title:
          'a second organisation with the same names: each alert refunded and answered once, nothing crossed',
        status: faults.length === 0 ? 'passed' : 'failed',
        tookMs: Math.round(performance.now() - startedMs),
        detail:
          faults.length === 0
            ? `${charges.size} charges and alerts, ${shared} events of the same names`
            : faults.slice(0, 5).join('; '),
        lookAt: faults.length === 0 ? [] : [folder],
      };
    },
    async close(): Promise<void> {
      service.close();
      // Some may lead to a server that was frozen, and never end.
      for (const looking of looks.values()) void looking.then((pool) => pool.end());
      await child.end('SIGKILL');
    },
  };
}

/** Tables are views of the first organisation's rows there. */
async function openLooks(address: string, organisationId: string): Promise<pg.Pool> {
  const of = pg.escapeLiteral(organisationId);
  const views = Object.keys(INVENTORY)
    .filter((table) => table !== 'payment_evidence')
    .map(
      (table) =>
        `create view of_first.${table} as select * from forestall.${table} where organisation_id = ${of}`,
    );
  const making = new pg.Client({ connectionString: address });
  making.on('error', () => undefined);
  await making.connect();
  try {
    const { rows } = await making.query(`select from pg_namespace where nspname = 'of_first'`);
    // A standby has it from its primary.
    if (rows.length === 0) await making.query(['create schema of_first', ...views].join(';'));
  } finally {
    await making.end();
  }
  const url = new URL(address);
  url.searchParams.set('options', '-c search_path=of_first,forestall,forestall_jobs,public');
  const pool = new pg.Pool({ connectionString: url.href, max: 4 });
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}
