/** Two organisations that one process serves and works for, out of an `installation.yaml`, behind the wall. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { signDelivery } from '../../src/alerts/receive/signature.ts';
import type { DatabaseSource } from '../../src/base/db/source.ts';
import { sourceOfUrl } from '../../src/base/db/source.ts';
import { closeServer, listen } from '../../src/base/http/listen.ts';
import { migrateBoss } from '../../src/base/jobs/boss.ts';
import { createLog } from '../../src/base/kernel/log.ts';
import type { InstallationWatcher } from '../../src/running/installation/installation-watcher.ts';
import { openInstallation } from '../../src/running/installation/installation-watcher.ts';
import {
  eachStart,
  servedOrganisation,
  serveOrganisation,
  substituteFor,
  workForOrganisation,
} from '../../src/running/roles/installation-roles.ts';
import type { Shared } from '../../src/running/roles/parts.ts';
import { openShared, sharedByOrganisations } from '../../src/running/roles/parts.ts';
import type { RunningOrganisations } from '../../src/running/roles/running-organisations.ts';
import { createRunningOrganisations } from '../../src/running/roles/running-organisations.ts';
import type { InstallationServeRole } from '../../src/running/roles/serve-installation.ts';
import { createInstallationServeRole } from '../../src/running/roles/serve-installation.ts';
import { startWorkers } from '../../src/running/roles/workers.ts';
import type { Sandbox } from '../../src/sandbox/index.ts';
import { createSandbox } from '../../src/sandbox/index.ts';
import type { TestDatabase } from './database.ts';
import { createTestDatabase } from './database.ts';

export const PROCESSOR_SECRET = 'processor-secret-of-both-organisations';
export const EVENT_SECRET = 'events-of-the-outlet-0123456789';
export const [A, B] = ['org_a0000000000000000000000000', 'org_b0000000000000000000000000'] as const;
export const POLICY = new URL('../../templates/policies/demonstration.yaml', import.meta.url)
  .pathname;

export const nobodyAsks = (): Promise<never> => Promise.reject(new Error('nobody asks'));

export const eventSecretOf = (name: string): string => `events-of-${name}-0123456789abcdef`;

export interface TwoOrganisations {
  /** Where the file is, and what it names. */
  readonly folder: string;
  readonly database: TestDatabase;
  readonly sandboxes: Readonly<Record<typeof A | typeof B, Sandbox>>;
  readonly shared: Shared;
  readonly keeper: InstallationWatcher;
  readonly serve: InstallationServeRole;
  readonly runningOrganisations: RunningOrganisations;
  /** Where it takes deliveries in. */
  readonly url: string;
  /** Its entry in the file, with further lines. */
  entryOf(id: typeof A | typeof B, more?: readonly string[]): string;
  writeInstallation(...entries: readonly string[]): Promise<void>;
  /** Returns the status of the answer. */
  deliver(path: string, secret: string, body: string): Promise<number>;
  close(): Promise<void>;
}

/** The job queue has tables of its own, which are no organisation's. */
async function sourceBehindTheWall({ connectionString }: TestDatabase): Promise<DatabaseSource> {
  const { jobs } = sourceOfUrl(connectionString);
  await migrateBoss(jobs, createLog({ level: 'silent' }));
  const url = new URL(connectionString);
  url.searchParams.set('options', '-c role=forestall_app');
  return { ...sourceOfUrl(url.href), jobs };
}

type Sandboxes = TwoOrganisations['sandboxes'];

async function writeSecrets(folder: string, sandboxes: Sandboxes): Promise<void> {
  for (const id of [A, B] as const) {
    const { organisationKey, webhookSecret } = sandboxes[id].accounts;
    const name = id === A ? 'brand-a' : 'brand-b';
    await writeFile(join(folder, `${name}.key`), organisationKey);
    await writeFile(join(folder, `${name}.events`), eventSecretOf(name));
    await writeFile(join(folder, `${name}.secret`), webhookSecret);
  }
}

function fileOf(
  folder: string,
  sandboxes: Sandboxes,
): Pick<TwoOrganisations, 'entryOf' | 'writeInstallation'> {
  return {
    entryOf(id, more = []): string {
      const { url: serviceUrl, processorUrl } = sandboxes[id];
      const name = id === A ? 'brand-a' : 'brand-b';
      return [
        `  - id: ${id}`,
        `    name: ${name}`,
        `    service_url: ${serviceUrl}`,
        `    processor: ${processorUrl}/`,
        `    api_key: {file: ${name}.key}`,
        `    webhook_secrets: [{file: ${name}.secret}]`,
        `    processor_event_secrets: [{file: ${name}.events}]`,
        ...more.map((line) => `    ${line}`),
      ].join('\n');
    },
    async writeInstallation(...entries): Promise<void> {
      const head = [
        'version: 1',
        'defaults:',
        '  processor_secret: {env: MONEY_SECRET}',
        `  policy: ${POLICY}`,
        'organisations:',
      ];
      await writeFile(join(folder, 'installation.yaml'), `${[...head, ...entries].join('\n')}\n`);
    },
  };
}

export async function openTwoOrganisations(): Promise<TwoOrganisations> {
  const folder = await mkdtemp(join(tmpdir(), 'forestall-installation-'));
  const database = await createTestDatabase();
  await database.pool.query('call wall_organisations(true)');
  const open = (organisationId: string, seed: number): Promise<Sandbox> =>
    createSandbox({ seed, organisationId, processorSecret: PROCESSOR_SECRET });
  const sandboxes = { [A]: await open(A, 7), [B]: await open(B, 8) };
  await writeSecrets(folder, sandboxes);
  const file = fileOf(folder, sandboxes);
  await file.writeInstallation(file.entryOf(A), file.entryOf(B));
  const log = createLog({ destination: { write: () => undefined } });
  const env = { MONEY_SECRET: PROCESSOR_SECRET, EVENT_SECRET };
  const keeper = openInstallation(join(folder, 'installation.yaml'), { env, log });
  const source = await sourceBehindTheWall(database);
  const shared = sharedByOrganisations(await openShared(source, log));
  const { isListed } = keeper;
  const serve = createInstallationServeRole(shared, {
    tls: undefined,
    health: nobodyAsks,
    isListed,
  });
  const workers = await startWorkers({ ...shared, jobs: source.jobs });
  const runningOrganisations = createRunningOrganisations(
    shared,
    eachStart([
      workForOrganisation(workers, { organisations: () => keeper.organisations() }),
      serveOrganisation(serve),
    ]),
    substituteFor(serve),
  );
  await runningOrganisations.change({
    stop: [],
    start: keeper.organisations().map(servedOrganisation(source)),
  });
  const port = await listen(serve.server, { port: 0, host: '127.0.0.1', setting: 'PORT' });
  const url = `http://127.0.0.1:${port}`;
  return {
    ...{ folder, database, sandboxes, shared, keeper, serve, runningOrganisations, url },
    ...file,
    async deliver(path, secret, body): Promise<number> {
      const raw = Buffer.from(body);
      const signature = signDelivery(secret, raw, Math.floor(Date.now() / 1_000));
      const headers = { 'x-signature': signature, 'content-type': 'application/json' };
      return (await fetch(new URL(path, url), { method: 'POST', headers, body: raw })).status;
    },
    async close(): Promise<void> {
      await closeServer(serve.server, 200);
      await runningOrganisations.stop();
      await workers.stop();
      await serve.close();
      await shared.close();
      await Promise.all([sandboxes[A].close(), sandboxes[B].close()]);
      await database.drop();
      await rm(folder, { recursive: true });
    },
  };
}
