/**
 * Fills an empty database with everything one version can leave behind, for a dump that every later
 * version must be able to take over: answers given, owed, unclear and held, deliveries not yet applied
 * and in quarantine, orders, findings, people.
 *
 *     node test/upgrade/fill.ts postgres://… test/upgrade/0.1.0.world.json.gz
 *     pg_dump --inserts --rows-per-insert=100 --no-owner --no-privileges \
 *       --exclude-table-data=forestall_jobs.instance postgres://… | gzip -9n > test/upgrade/0.1.0.sql.gz
 *
 * The file beside the dump is the world around it, as it stood at that moment: the sandbox's state, and
 * which alert plays which part.
 */
import { pauseMoney, resumeMoney } from '../../src/alerts/guard/pause.store.ts';
import { ensureInboxPartitions } from '../../src/alerts/receive/inbox.store.ts';
import { claimReview } from '../../src/alerts/review/review.ts';
import { openDatabase } from '../../src/base/db/connect.ts';
import { migrateToLatest } from '../../src/base/db/migrate.ts';
import { migrateBoss } from '../../src/base/jobs/boss.ts';
import { nowDate } from '../../src/base/kernel/clock.ts';
import { createLog } from '../../src/base/kernel/log.ts';
import { commentOnAlert } from '../../src/capabilities/comments/comment.ts';
import { saveView } from '../../src/capabilities/saved-views/saved-view.store.ts';
import { PRODUCTS } from '../../src/running/testing/index.ts';
import { createTestWorld } from '../../src/running/testing/test-world.ts';
import { addOperator } from '../../src/surface/access/operator.store.ts';
import { writeWorld } from './kept.ts';

const REFUND = 'POST /processor/refunds';
const LOOK_UP = 'GET /processor/refunds';
const ANSWER = 'PATCH /v1/alerts/{alert_id}';
/** More than anything here calls: the fault stays. */
const ALWAYS = 1_000;
const HOUR_MS = 3_600_000;

const [connectionString, worldFile] = process.argv.slice(2);
if (connectionString === undefined || worldFile === undefined) {
  throw new Error('Usage: node test/upgrade/fill.ts <address of an empty database> <file>');
}

const log = createLog({ level: 'silent' });
const { db, close } = openDatabase({ connectionString, log });
await migrateToLatest(db);
await ensureInboxPartitions(db);
await migrateBoss({ connectionString, schema: 'forestall_jobs' }, log);

const world = await createTestWorld({ database: connectionString });
const { sandbox, parts } = world;
const { organisationId } = parts;
const now = nowDate(world.clock);
const cast: Record<string, string> = {};

async function play(
  part: string,
  product: (typeof PRODUCTS)[keyof typeof PRODUCTS],
): Promise<string> {
  const { charge } = await world.sell(product);
  const alert = sandbox.createAlertFor(charge.reference);
  cast[part] = alert.id;
  return charge.reference;
}

/** A refund whose call breaks off, and which cannot be looked up after that. */
async function playUnknown(part: string, kind: 'drop_after' | 'drop_before'): Promise<void> {
  const reference = await play(part, PRODUCTS.font);
  // The look-up before the call is let through.
  sandbox.addFault({
    on: LOOK_UP,
    kind: 'status',
    times: ALWAYS,
    status: 503,
    skip: 1,
    contains: reference,
  });
  sandbox.addFault({ on: REFUND, kind });
  await world.drain();
}

// Answered, both ways, and by the network itself.
await play('refunded', PRODUCTS.font);
await play('accepted', PRODUCTS.bicycle);
const rdr = [...sandbox.state.enrolments.values()].find(({ type }) => type === 'NETB_RDR');
const paid = await world.sell(PRODUCTS.font);
if (rdr !== undefined) {
  cast['rdr'] = sandbox.createAlertFor(paid.charge.reference, { enrolment_id: rdr.id }).id;
}
await world.drain();
// Held for a person, one of them claimed and spoken about; one about no charge of ours.
await play('held', PRODUCTS.lamp);
await play('claimed', PRODUCTS.lamp);
cast['unmatched'] = sandbox.createAlert({ card_last4: '0000', authorisation_code: '000000' }).id;
sandbox.createLookup({ type: 'NETB_ORDER_INSIGHT' });
sandbox.createRepresentment();
sandbox.createSchemeNotice();
await world.advance(HOUR_MS);
const act = { organisationId, alertId: cast['claimed'] ?? '', operator: 'Ines', now };
await claimReview(db, act);
await commentOnAlert(db, act, 'Asked the shop.');
// Refunded, and the answer owed: the service is away.
sandbox.addFault({ on: ANSWER, kind: 'status', times: ALWAYS, status: 503 });
await play('owed', PRODUCTS.magazine);
await world.drain();
// Sent, and nobody knows: one executed, one not.
await playUnknown('unknown_executed', 'drop_after');
await playUnknown('unknown_lost', 'drop_before');
// People, a kill switch that was used, bytes that are no event, an order that was not taken.
const people = { organisationId, by: 'setup', now };
await addOperator(db, { ...people, name: 'Ines', role: 'reviewer', token: { as: 'shown' } });
await saveView(
  db,
  { organisationId, operator: 'Ines' },
  { name: 'Mine', query: 'state=HUMAN', now },
);
await pauseMoney(db, { organisationId, operator: 'Ines', reason: 'rehearsal', now });
await resumeMoney(db, { organisationId, operator: 'Ines', now });
sandbox.sendRawEvent({ type: 'alert.created', body: '{"id":"evt_1","id":"evt_2"}' });
sandbox.addFault({ on: 'POST /v1/orders', kind: 'status', times: ALWAYS, status: 503 });
await world.sell(PRODUCTS.course);
await world.drain();
// Delivered, stored, and nothing done yet.
await play('received', PRODUCTS.font);
await sandbox.settle();

const at = nowDate(world.clock).toISOString();
const file = { at, cast, sandbox: sandbox.snapshot() };
await writeWorld(worldFile, file);
await world.close();
await close();
