/** Guarantee: the commands about orders and customers say what they did, what they left and what to do next, and their exit status agrees. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { parseProgrammes } from '../../../src/orders/programme.ts';
import { registerErase } from '../../../src/people/cli/erase.ts';
import type { OrdersContext } from '../../../src/people/cli/orders.ts';
import { registerOrdersCommands } from '../../../src/people/cli/orders.ts';
import type { CommandRun } from '../../support/run-command.ts';
import { runCommand } from '../../support/run-command.ts';
import type { IntakeWorld } from './support.ts';
import { createIntakeWorld, INTEGRATION, makeOrder } from './support.ts';

const PROGRAMMES = parseProgrammes(['compelling-evidence']);
let world: IntakeWorld;

beforeAll(async () => {
  world = await createIntakeWorld(PROGRAMMES);
  const { device_id: _device, ...lacking } = makeOrder('HELD-1');
  await world.accept(makeOrder('SENT-1'), makeOrder('BAD-1'), lacking);
  const { db } = world.database;
  await sql`update order_record set state = 'CREATED', order_id = 'ord_1', settled_at = accepted_at
    where reference_id = 'SENT-1'`.execute(db);
  await sql`update order_record set state = 'REFUSED', next_attempt_at = null, reason = 'refused'
    where reference_id = 'BAD-1'`.execute(db);
});
afterAll(() => world.database.drop());
afterEach(() => {
  process.exitCode = undefined;
});

async function run(...words: readonly string[]): Promise<CommandRun> {
  const { db, clock, organisationId } = world.context;
  const context: OrdersContext = {
    ...{ db, clock, organisationId, integrationId: INTEGRATION, programmes: PROGRAMMES },
    close: async () => undefined,
  };
  return await runCommand((program) => {
    registerOrdersCommands(program, async () => context);
    registerErase(program, async () => context);
  }, words);
}

describe('orders replay', () => {
  test('counts first, and names what is left alone', async () => {
    const counted = await run(
      'orders',
      'replay',
      '--from',
      '2026-11-01',
      '--to',
      '2026-12-01',
      '--dry-run',
    );
    expect(counted.out).toBe(
      'Would send 1 order and 0 updates again, and read 1 back to compare.\n' +
        'Held and left so: 1 order. To send what is ready: "forestall orders release".',
    );
    expect(counted.status).toBe(0);
    expect((await run('orders', 'replay', '--failed')).out).toBe(
      'Sends 1 order and 0 updates again, and reads 0 back to compare.',
    );
  });

  test('of a reference that is not kept here, and of two selections, is a wrong argument', async () => {
    const unknown = await run('orders', 'replay', 'NOBODY', '--json');
    expect(unknown).toMatchObject({
      out: '',
      error: 'No order NOBODY is kept here. Check the reference.',
      status: 2,
    });
    expect(await run('orders', 'replay', 'SENT-1', '--failed')).toMatchObject({
      error: 'Name one order, or give --failed, or --from and --to.',
      status: 2,
    });
  });
});

describe('orders release', () => {
  test('says which orders are held still, and why', async () => {
    const { out, status } = await run('orders', 'release', '--all');
    expect(out.replaceAll(/\s+/g, ' ')).toBe(
      '0 released, 1 still held. HELD-1: not ready for compelling-evidence: device_ip_address|device_id|device_fingerprint missing ' +
        'Send them again corrected, or add --anyway; missing fields can never be added later.',
    );
    expect(status).toBe(1);
  });

  test('lets one go anyway; one that is not held is named', async () => {
    expect(await run('orders', 'release', 'HELD-1', '--anyway')).toMatchObject({
      out: '1 released, 0 still held.',
      status: 0,
    });
    expect(await run('orders', 'release', 'HELD-1')).toMatchObject({
      out: 'No order HELD-1 is held.',
      status: 1,
    });
  });
});

describe('erase', () => {
  test('leaves what has still to be sent, says which, and what to do', async () => {
    const { out, status } = await run('erase', '--customer-email', 'shopper@example.com');
    expect(out).toContain('Left as they are, because they have still to be sent: ');
    expect(out).toContain('Let them be sent ("forestall orders status"), then run this again.');
    expect(status).toBe(1);
  });

  test('counts, erases, and says what is not in its hands', async () => {
    await sql`update order_record set state = 'CREATED', order_id = 'ord_1', settled_at = accepted_at`.execute(
      world.database.db,
    );
    await sql`
      insert into notification (organisation_id, dedupe_key, kind, severity, text, created_at, next_attempt_at)
      values (${world.context.organisationId}, 'k', 'case_held', 'info', 'about shopper@example.com', now(), null)`.execute(
      world.database.db,
    );
    const counted = await run('erase', '--customer-email', 'shopper@example.com', '--dry-run');
    expect(counted.out).toBe(
      'Would be erased: 2 orders, and their name in\n  1 in notification.text',
    );
    const { out, status } = await run('erase', '--customer-email', 'shopper@example.com');
    expect(out.replaceAll(/\s+/g, ' ')).toBe(
      'Erased: 2 orders, and their name in 1 in notification.text ' +
        'Every table was looked at again: nothing is left. The service keeps its own copy of orders: ask it to erase that too.',
    );
    expect(status).toBe(0);
    expect((await run('erase', '--customer-email', 'nobody@example.com')).out).toContain(
      'Erased: 0 orders; nothing else names them.',
    );
  });

  test('names the files of the settings that name the customer, with their lines', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'forestall-erase-'));
    const policy = join(folder, 'policy.yaml');
    await writeFile(policy, 'name: house\n# ask Shopper@Example.com\n');
    vi.stubEnv('FORESTALL_POLICY', policy);
    const named = await run('erase', '--customer-email', 'shopper@example.com');
    expect(named.out).toContain(`${policy}:2`);
    expect([named.out.includes('@'), named.status]).toEqual([false, 1]);
    await writeFile(policy, 'name: house\n');
    process.exitCode = undefined;
    expect((await run('erase', '--customer-email', 'shopper@example.com', '--check')).status).toBe(
      0,
    );
    vi.unstubAllEnvs();
    await rm(folder, { recursive: true });
  });
});
