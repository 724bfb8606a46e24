/**
 * Fills an empty database with every way in which money of a charge can stand when a version is
 * replaced: refunded by support, in part and whole, beside our own; released; pending, refused,
 * unresolved and reversed; one refund for two alerts; requests under way. Used as fill.ts is. How far a
 * request that nobody answered has come differs by version.
 *
 *     node test/upgrade/fill-refunds.ts postgres://… test/upgrade/0.2.0.world.json.gz
 */
import { ensureInboxPartitions } from '../../src/alerts/receive/inbox.store.ts';
import { openDatabase } from '../../src/base/db/connect.ts';
import { migrateToLatest } from '../../src/base/db/migrate.ts';
import { migrateBoss } from '../../src/base/jobs/boss.ts';
import { nowDate } from '../../src/base/kernel/clock.ts';
import { createLog } from '../../src/base/kernel/log.ts';
import { createTestWorld, PRODUCTS } from '../../src/running/testing/index.ts';
import { writeWorld } from './kept.ts';

const REFUND = 'POST /processor/refunds';
const LOOK_UP = 'GET /processor/refunds';
const ANSWER = 'PATCH /v1/alerts/{alert_id}';
/** More than anything here calls: the fault stays. */
const ALWAYS = 1_000;
const HOUR_MS = 3_600_000;
const KEY_HOURS = 2;
/** What support refunds of a charge of 2 900. */
const PART_MINOR = 1_000;

const [connectionString, worldFile] = process.argv.slice(2);
if (connectionString === undefined || worldFile === undefined) {
  throw new Error('Usage: node test/upgrade/fill-refunds.ts <address of an empty database> <file>');
}

const log = createLog({ level: 'silent' });
const { db, close } = openDatabase({ connectionString, log });
await migrateToLatest(db);
await ensureInboxPartitions(db);
await migrateBoss({ connectionString, schema: 'forestall_jobs' }, log);

const world = await createTestWorld({
  database: connectionString,
  // A key that ends while its refund cannot be looked up makes the refund a person's.
  sandbox: { processor: { idempotency_ttl_hours: KEY_HOURS } },
});
const { sandbox } = world;
const cast: Record<string, string> = {};

/** A sale of 2 900, which the demonstration policy refunds at once. */
async function sell(): Promise<string> {
  return (await world.sell(PRODUCTS.font)).charge.reference;
}

function alert(part: string, reference: string, minor?: number): void {
  const fields = minor === undefined ? {} : { amount_in_cents: minor };
  cast[part] = sandbox.createAlertFor(reference, fields).id;
}

async function play(part: string): Promise<string> {
  const reference = await sell();
  alert(part, reference);
  await world.drain();
  return reference;
}

/** A refund whose call breaks off. */
async function playUnknown(part: string, kind: 'drop_after' | 'drop_before'): Promise<void> {
  sandbox.addFault({ on: REFUND, kind });
  await play(part);
}

/** A person decides what is held; a version that answers it by itself needs nobody. */
async function decideRefund(part: string): Promise<void> {
  const decision = { alertId: cast[part] ?? '', action: 'REFUND', operator: 'Ines' } as const;
  if ((await world.stateOf(decision.alertId)) !== 'HUMAN') return;
  const result = await world.alerts.decide(decision);
  if (!result.ok) throw new Error(result.message);
}

function failRefundOf(reference: string): void {
  const refund = sandbox.state.charges.get(reference)?.refunds.at(-1);
  sandbox.settleRefund(refund?.reference ?? '', 'failed', 'card_closed');
}

// Refunded, declared, and reversed a day later.
failRefundOf(await play('reversed'));
await world.advance(25 * HOUR_MS);
// Refunded by support: all of it; and a part, of which a person lets us refund the rest.
const whole = await sell();
sandbox.refundInDashboard(whole);
alert('external_whole', whole);
const topped = await sell();
sandbox.refundInDashboard(topped, PART_MINOR);
alert('topped_up', topped);
await world.drain();
await decideRefund('topped_up');
// Authorised only, so released.
const held = await sell();
Object.assign(sandbox.state.charges.get(held) ?? {}, { status: 'authorised' });
alert('voided', held);
await world.drain();
// Sent, never answered, and past the life of the key: one executed, one not.
await playUnknown('human', 'drop_after');
await playUnknown('human_lost', 'drop_before');
const away = sandbox.addFault({ on: LOOK_UP, kind: 'status', times: ALWAYS, status: 503 });
await world.advance((KEY_HOURS + 1) * HOUR_MS, HOUR_MS / 2);
sandbox.faults.remove(away.id);
// From here on answers are owed, as the service is away.
sandbox.addFault({ on: ANSWER, kind: 'status', times: ALWAYS, status: 503 });
// Accepted by the processor: one fails before it has settled, one is open still.
sandbox.changeProcessor({ async_refunds: true });
failRefundOf(await play('rejected'));
await world.advance(HOUR_MS / 2);
await play('pending');
sandbox.changeProcessor({ async_refunds: false });
// Two alerts on one charge; and one about the part that support had refunded.
const shared = await sell();
alert('twin', shared);
alert('other_twin', shared);
const part = await sell();
sandbox.refundInDashboard(part, PART_MINOR);
alert('external_part', part, PART_MINOR);
await world.drain();
await decideRefund('external_part');
await world.drain();
// Under way: one request that executed, one that did not.
await playUnknown('under_way', 'drop_after');
await playUnknown('not_sent', 'drop_before');

const at = nowDate(world.clock).toISOString();
const file = { at, cast, sandbox: sandbox.snapshot() };
await writeWorld(worldFile, file);
await world.close();
await close();
