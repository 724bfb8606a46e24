/** What stands aside, for cases that must not meddle with the world of the others. */
import type { Child } from './child.ts';
import type { LittleService } from './little-service.ts';
import { openLittleService } from './little-service.ts';
import type { ChargeFields } from './processor-types.ts';
import type { ChargeTraits } from './remote.ts';
import type { Aside, Role } from './rig.ts';
import { forestall } from './rig.ts';
import type { Dispute, Scene } from './scene.ts';
import { createScene, digits } from './scene.ts';

/** A migrated, empty database of its own. */
export interface AsideDatabase {
  readonly name: string;
  readonly DATABASE_URL: string;
  sql(text: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
}

/** Makes it, its time that of the world. */
export async function asideDatabase({ rig }: Scene): Promise<AsideDatabase> {
  const { postgres, folder } = rig;
  const name = `aside_${digits(8)}`;
  await postgres.createDatabase(name);
  await postgres.moveClock(name, rig.aheadMs());
  const DATABASE_URL = postgres.url(name, postgres.port);
  const env = { ...rig.environment('work'), DATABASE_URL };
  const migrate = forestall(folder, { name: `migrate-${name}`, args: ['migrate'], env });
  if ((await migrate.ended).code !== 0) throw new Error(`migrate failed:\n${migrate.text()}`);
  return { name, DATABASE_URL, sql: (text, values) => postgres.query(name, text, values) };
}

/** A merchant of its own: a database, a service that shows what it is told to, the rig's processor. */
export interface AsideWorld {
  /** The words of {@link Scene}, about this world's alerts. */
  readonly scene: Scene;
  readonly service: LittleService;
  readonly database: AsideDatabase;
  /** Its settings, for a program that a case starts by hand. */
  readonly env: Readonly<Record<string, string>>;
  /** An alert about a charge of its own, with these fields of the interface in place of the usual ones. */
  dispute(
    odd?: Readonly<Record<string, unknown>>,
    charge?: Partial<ChargeFields>,
    traits?: ChargeTraits,
  ): Promise<Dispute>;
  start(role: Role, env?: Readonly<Record<string, string>>, how?: Aside): Promise<Child>;
  /** Moves this world's time: what runs is ended before and must be started again. */
  pass(durationMs: number): Promise<void>;
  close(): Promise<void>;
}

const HOUR_MS = 3_600_000;

/** Opens it. Nothing runs yet: alerts that are shown before a worker starts are its first poll's. */
export async function openAside(outer: Scene): Promise<AsideWorld> {
  const { rig } = outer;
  const [database, service] = await Promise.all([asideDatabase(outer), openLittleService()]);
  let aheadMs = rig.aheadMs();
  const running = new Set<Child>();
  const env = { DATABASE_URL: database.DATABASE_URL, FORESTALL_SERVICE_URL: service.url };
  const patches = async (id: string): Promise<LittleService['patches'][number][]> =>
    service.patches.filter(({ alert_id: of }) => of === id);
  const inner = { ...rig, sql: database.sql, sandbox: { ...rig.sandbox, patches } };
  const scene = createScene({ ...inner, aheadMs: () => aheadMs }, outer.time);
  const end = async (): Promise<void> => {
    await Promise.all([...running].map((child) => child.end('SIGTERM')));
    running.clear();
  };
  return {
    scene,
    service,
    database,
    env,
    async dispute(odd = {}, fields = {}, traits = {}): Promise<Dispute> {
      const charge = await scene.charge(fields, traits);
      const alertId = service.show({ ...alertOf(rig.organisationId, charge, aheadMs), ...odd });
      // A failure shows what the alerts of the case came to.
      (outer.alerts as string[]).push(alertId);
      return { charge, alertId };
    },
    async start(role, more = {}, how = {}): Promise<Child> {
      const child = await rig.startAside(role, { ...env, ...more }, how);
      running.add(child);
      return child;
    },
    async pass(durationMs): Promise<void> {
      await end();
      aheadMs += durationMs;
      await rig.postgres.moveClock(database.name, aheadMs);
    },
    async close(): Promise<void> {
      await end();
      service.close();
    },
  };
}

/** An alert of the interface about the charge, open for two days. */
export function alertOf(
  organisation_id: string,
  charge: ChargeFields,
  aheadMs: number,
): Record<string, unknown> {
  const nowMs = Date.now() + aheadMs;
  const now = new Date(nowMs).toISOString();
  return {
    organisation_id,
    enrolment_type: 'NETA_ALERT',
    status: 'ACTION_REQUIRED',
    note: null,
    action_required_deadline: new Date(nowMs + 48 * HOUR_MS).toISOString(),
    transaction_amount_in_cents: charge.amount_in_cents,
    transaction_currency_code: charge.currency,
    transaction_authorised_at: charge.authorised_at,
    transaction_authorisation_code: charge.authorisation_code,
    transaction_acquirer_reference_number: charge.acquirer_reference_number,
    transaction_statement_descriptor: 'DEMO STORE',
    transaction_card_bin: charge.card_bin,
    transaction_card_last4: charge.card_last4,
    transaction_card_scheme: 'SCHEME_A',
    transaction_refund_outcome: null,
    created_at: now,
    updated_at: now,
  };
}
