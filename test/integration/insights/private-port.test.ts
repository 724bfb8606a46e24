/**
 * Guarantee: where roles run apart, every metric that an alert rule asks for is served on a private port,
 * the receiver's counters among them; details of health are there and not on the public listener.
 */
import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeServer, listen } from '../../../src/base/http/listen.ts';
import { beat } from '../../../src/base/jobs/heartbeat.store.ts';
import { nowDate } from '../../../src/base/kernel/clock.ts';
import type { PrivatePages } from '../../../src/running/roles/private-server.ts';
import {
  createPrivateServer,
  installationWorkerPages,
  receiverPages,
  workerPages,
} from '../../../src/running/roles/private-server.ts';
import { readiness } from '../../../src/running/roles/readiness.ts';
import type { ServeRole } from '../../../src/running/roles/serve.ts';
import { createServeRole } from '../../../src/running/roles/serve.ts';
import type { World } from '../../support/world.ts';
import { createWorld } from '../../support/world.ts';

let world: World;
let role: ServeRole;
const servers: Server[] = [];
const urls = { public: '', serve: '', work: '' };

async function open(server: Server): Promise<string> {
  servers.push(server);
  return `http://127.0.0.1:${await listen(server, { port: 0, host: '127.0.0.1', setting: 'X' })}`;
}

const privately = (pages: PrivatePages): Promise<string> =>
  open(createPrivateServer(world.parts, pages));

beforeAll(async () => {
  world = await createWorld();
  const { parts } = world;
  const { workerId, organisationId, clock, database } = parts;
  await beat(database.db, { workerId, organisationId, role: 'work', now: nowDate(clock) });
  role = createServeRole(parts, {
    webhookSecrets: [world.sandbox.accounts.webhookSecret],
    tls: undefined,
  });
  urls.public = await open(role.server);
  urls.serve = await privately(receiverPages(role.health, () => role.counters.snapshot()));
  urls.work = await privately(workerPages(parts, () => readiness(parts)));
  // One dispute that waits for a person: its deadline is the nearest.
  world.sandbox.pointWebhooksAt(`${urls.public}/webhooks`);
  world.sandbox.createAlert({ amount_in_cents: 4_711, card_last4: '0000' });
  await world.drain();
  // It ran out once: what only shows after that is served too.
  const missed = { missed_at: nowDate(clock) };
  await database.db
    .updateTable('alert_case')
    .set(missed)
    .where('organisation_id', '=', organisationId)
    .execute();
});
afterAll(async () => {
  for (const server of servers) await closeServer(server, 200);
  await role.close();
  await world.close();
});

const textOf = async (url: string): Promise<string> => await (await fetch(url)).text();
const namesIn = (text: string): Set<string> => new Set(text.match(/^forestall_[a-z_]+/gm));

describe('metrics', () => {
  it('of a receiver on its own count what it refused, which is in no table', async () => {
    await fetch(`${urls.public}/webhooks`, { method: 'POST', body: '{}' });
    const text = await textOf(`${urls.serve}/metrics`);
    expect(text).toContain('forestall_events_refused_total{reason="missing_header"} 1\n');
    expect(text).toContain('forestall_events_refused_total{reason="busy"} 0\n');
    expect(text).toMatch(/^forestall_events_received_total [1-9]/m);
    expect(text).toMatch(/^forestall_ready 1$/m);
    expect(text).toMatch(/^forestall_process_resident_bytes [1-9]\d{6,}$/m);
  });

  it('together hold all that the alert rules ask for', async () => {
    const served = new Set([
      ...namesIn(await textOf(`${urls.serve}/metrics`)),
      ...namesIn(await textOf(`${urls.work}/metrics`)),
    ]);
    const rules = readFileSync(
      new URL('../../../templates/deployment/monitoring/rules.yaml', import.meta.url),
      'utf8',
    );
    const asked = new Set(rules.match(/\bforestall_[a-z_]+\b/g));
    expect(asked.size).toBeGreaterThan(10);
    expect([...asked].filter((name) => !served.has(name))).toEqual([]);
  });
});

describe('metrics of several organisations', () => {
  const keeperOf = (
    ...paths: readonly string[]
  ): Parameters<typeof installationWorkerPages>[0]['keeper'] => ({
    organisations: () =>
      paths.map((path, place) => ({
        id: place === 0 ? world.parts.organisationId : `org_${path}`,
        path,
      })) as never,
  });
  const openOf = (...paths: readonly string[]): Promise<string> => {
    const { parts } = world;
    const keeper = keeperOf(...paths);
    return privately(
      installationWorkerPages({ shared: parts, keeper, health: () => readiness(parts) }),
    );
  };
  /** Without ages, which go on between two scrapes, and health, which the process adds its own to. */
  const linesOf = (text: string): string[] =>
    text
      .split('\n')
      .filter((line) => line.startsWith('forestall_') && !/_health|_bytes|_seconds[ {]/.test(line));

  it('have the same value for one as where it is the only one', async () => {
    const alone = linesOf(await textOf(`${urls.work}/metrics`));
    const among = linesOf(await textOf(`${await openOf('brand-a')}/metrics`));
    expect(alone.length).toBeGreaterThan(40);
    expect(
      among.map((line) => line.replace(/organisation="brand-a",?/, '').replace('{}', '')),
    ).toEqual(alone);
  });

  it('are all there, and those of the next one are its own', async () => {
    const alone = namesIn(await textOf(`${urls.work}/metrics`));
    const text = await textOf(`${await openOf('brand-a', 'brand-b')}/metrics`);
    expect(namesIn(text)).toEqual(alone);
    expect(text).toContain('forestall_cases{organisation="brand-a",state="HUMAN"} 1\n');
    expect(text).toContain('forestall_cases{organisation="brand-b",state="HUMAN"} 0\n');
    expect(text).toMatch(/^forestall_worker_heartbeat_age_seconds\{worker="[^"]+",role="work"\} /m);
  });
});

describe('health', () => {
  it('has its details on private ports only', async () => {
    for (const url of [urls.serve, urls.work]) {
      expect(JSON.parse(await textOf(`${url}/readyz`))).toEqual({
        ok: true,
        checks: {
          database: 'ok',
          migrations: 'ok',
          worker: 'ok',
          receiving: 'ok',
          applying: 'ok',
          deciding: 'ok',
          refunding: 'ok',
          declaring: 'ok',
          polling: 'ok',
          feeding: 'ok',
          // No channel is set: whoever relies on messages has to know.
          notifying: expect.stringMatching(/^no channel is set/),
        },
      });
      expect(await textOf(`${url}/healthz`)).toBe('{"ok":true}');
    }
    expect(await textOf(`${urls.public}/readyz`)).toBe('{"ok":true}');
    expect((await fetch(`${urls.public}/metrics`)).status).toBe(404);
  });

  it('a private port has nothing else, for no other method', async () => {
    for (const path of ['/', '/webhooks', '/api/alerts', '/constructor', '/__proto__']) {
      expect((await fetch(urls.work + path)).status).toBe(404);
    }
    for (const method of ['POST', 'PUT', 'DELETE']) {
      expect((await fetch(`${urls.work}/metrics`, { method })).status).toBe(404);
    }
  });

  it('a worker without its database tells so, and leaves out what nobody measured', async () => {
    const away = await privately(
      workerPages(world.parts, async () => ({
        ok: false,
        checks: { database: 'unreachable' },
        parts: [{ name: 'database', status: 'failed', detail: 'unreachable', nextStep: 'Look.' }],
      })),
    );
    expect([...namesIn(await textOf(`${away}/metrics`))].sort()).toEqual([
      'forestall_health',
      'forestall_process_resident_bytes',
      'forestall_ready',
    ]);
    expect(await textOf(`${away}/metrics`)).toContain('forestall_ready 0\n');
    const answer = await fetch(`${away}/readyz`);
    expect([answer.status, await answer.json()]).toEqual([
      503,
      { ok: false, checks: { database: 'unreachable' } },
    ]);
  });
});
