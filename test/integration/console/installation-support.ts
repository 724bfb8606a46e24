/** The console of an installation of two organisations over real HTTP, behind the wall, with the console's own rights. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inject } from 'vitest';
import type { OpenDatabase } from '../../../src/base/db/connect.ts';
import { openDatabase } from '../../../src/base/db/connect.ts';
import {
  forAllOrganisations,
  forOrganisation,
  forOrganisations,
} from '../../../src/base/db/for-organisation.ts';
import type { FixedClock } from '../../../src/base/kernel/clock.ts';
import { createLog } from '../../../src/base/kernel/log.ts';
import { createInstallationConsole } from '../../../src/people/console/installation/installation-app.ts';
import { INSTALLATION } from '../../../src/surface/access/right.store.ts';
import { trustConsole } from '../../../src/surface/access/trust.store.ts';
import type { InstallationOptions, ListedOrganisation } from '../../../src/surface/web/ports.ts';
import type { TestDatabase } from '../../support/database.ts';
import { formOf, TOKEN } from './support.ts';

export const BRANDS: readonly ListedOrganisation[] = [
  { id: 'org_a', name: 'Brand A', path: 'brand-a', mode: 'live' },
  { id: 'org_b', name: 'Brand B', path: 'brand-b', mode: 'live' },
];

/** A person or a program, by what their requests carry. */
export type Credentials = Readonly<Record<string, string>>;

export interface TestInstallation {
  readonly url: string;
  /** The file; tests take organisations away and put them back. */
  brands: readonly ListedOrganisation[];
  send(method: string, path: string, headers?: Credentials, body?: string): Promise<Response>;
  /** Signs in with a token: the cookie, and the session's CSRF token. */
  signIn(token?: string): Promise<{ cookie: string; csrf: string }>;
  close(): Promise<void>;
}

function openShared({ name }: TestDatabase): OpenDatabase {
  const url = new URL(inject('postgresUrl'));
  url.pathname = `/${name}`;
  url.searchParams.set('options', '-c role=forestall_console');
  const log = createLog({ level: 'silent' });
  return openDatabase({ connectionString: url.href, log, maxConnections: 5 });
}

export async function startInstallation(
  test: TestDatabase,
  clock: FixedClock,
  options: Partial<InstallationOptions> = {},
): Promise<TestInstallation> {
  const shared = openShared(test);
  const log = createLog({ level: 'silent' });
  const people = forAllOrganisations(shared, 'people').db;
  await trustConsole(test.db, INSTALLATION, { consoleToken: TOKEN });
  const health = async () => ({ ok: true, parts: [] });
  const site = { brands: BRANDS };
  const ids = (): string[] => site.brands.map(({ id }) => id);
  const { app, close } = createInstallationConsole({
    db: people,
    clock,
    log,
    organisationId: INSTALLATION,
    token: TOKEN,
    homes: () => [INSTALLATION, ...ids()],
    health,
    organisations: () => site.brands,
    dbOf: (organisationIds) => forOrganisations(shared, organisationIds, 'overview').db,
    fileProblem: () => null,
    open: async (organisation) => ({
      options: {
        db: forOrganisation(shared, organisation.id).db,
        clock,
        log,
        organisationId: organisation.id,
        get organisation() {
          return site.brands.length > 1 ? organisation : undefined;
        },
        token: TOKEN,
        health,
        decide: async () => ({ ok: true }),
        replayEvent: async () => ({ ok: true }),
      },
      close: async () => undefined,
    }),
    ...options,
  });
  const server = createServer(app);
  server.keepAliveTimeout = 120_000;
  await new Promise<void>((done) => {
    server.listen(0, '127.0.0.1', done);
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const send: TestInstallation['send'] = (method, path, headers = {}, body) =>
    fetch(url + path, {
      method,
      headers,
      redirect: 'manual',
      ...(body === undefined ? {} : { body }),
    });
  return Object.assign(site, {
    url,
    send,
    async signIn(token = TOKEN) {
      const { body, headers } = formOf({ token });
      const answer = await send('POST', '/login', headers, body);
      const cookie = (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
      const page = await (await send('GET', '/organisations', { cookie })).text();
      return { cookie, csrf: /name="csrf_token" value="([^"]+)"/.exec(page)?.[1] ?? '' };
    },
    async close() {
      server.closeAllConnections();
      await new Promise<void>((done) => {
        server.close(() => done());
      });
      await close();
      await shared.close();
    },
  });
}
