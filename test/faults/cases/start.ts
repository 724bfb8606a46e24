/** F83–F89: what refuses to start, says why, and ends with status 2; migrations; odd surroundings. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FaultCase } from '../case.ts';
import { asideDatabase } from '../rig/aside.ts';
import { forestall, startProcessor } from '../rig/rig.ts';
import type { Scene } from '../rig/scene.ts';
import { digits } from '../rig/scene.ts';
import { until } from '../rig/until.ts';

const GOOD = {
  DATABASE_URL: 'postgres://nobody:secret-of-the-database@127.0.0.1:9/none',
  FORESTALL_SERVICE_URL: 'https://service.example',
  FORESTALL_API_KEY: 'key-0123456789abcdef-canary',
  FORESTALL_WEBHOOK_SECRETS: 'whsec_0123456789abcdef-canary',
  FORESTALL_ORGANISATION_ID: 'org_1',
} as const;

/** Starts with these settings, and must be refused: status 2, the setting's name, not its value. */
async function refusedStart(
  scene: Scene,
  settings: Readonly<Record<string, string>>,
  says: readonly RegExp[],
): Promise<void> {
  const env = Object.fromEntries(
    Object.entries<string>({ ...GOOD, ...settings }).filter(([, value]) => value !== 'unset'),
  );
  const child = forestall(scene.rig.folder, { name: `start-${digits(6)}`, args: ['serve'], env });
  deepEqual(await child.ended, { code: 2, signal: null }, child.text());
  for (const each of says) match(child.text(), each);
  ok(!/ at .*\.(ts|js):/.test(child.text()), 'no stack trace');
  for (const [name, value] of Object.entries(env)) {
    if (value.length >= 8 && /SECRET|KEY|TOKEN/.test(name) && !name.endsWith('_FILE')) {
      ok(!child.text().includes(value), `the value of ${name} is not shown`);
    }
  }
}

const SECRET = 'whsec_fedcba9876543210';

async function badSecrets(scene: Scene): Promise<string> {
  const file = join(scene.rig.folder, 'api-key');
  writeFileSync(file, `${GOOD.FORESTALL_API_KEY}\n`);
  const blank = join(scene.rig.folder, 'blank');
  writeFileSync(blank, '\n');
  // Everything wrong is named at once, so each start carries several faults.
  const wrong: [Record<string, string>, RegExp[]][] = [
    [
      { FORESTALL_WEBHOOK_SECRETS: '', FORESTALL_API_KEY_FILE: file },
      [/FORESTALL_WEBHOOK_SECRETS/, /FORESTALL_API_KEY and FORESTALL_API_KEY_FILE are both set/],
    ],
    [{ FORESTALL_WEBHOOK_SECRETS: 'unset' }, [/FORESTALL_WEBHOOK_SECRETS is missing/]],
    [
      {
        FORESTALL_WEBHOOK_SECRETS: 'whsec_short',
        FORESTALL_SERVICE_URL: 'http://service.example',
        FORESTALL_CONSOLE_TOKEN: 'admin',
      },
      [
        /FORESTALL_WEBHOOK_SECRETS.*16 characters/,
        /FORESTALL_SERVICE_URL.*https/,
        /FORESTALL_CONSOLE_TOKEN.*16 characters/,
      ],
    ],
    [
      { FORESTALL_WEBHOOK_SECRETS: `${SECRET} `, FORESTALL_API_KEY: '' },
      [/FORESTALL_WEBHOOK_SECRETS.*white space/, /FORESTALL_API_KEY/],
    ],
    [{ FORESTALL_WEBHOOK_SECRETS: `${SECRET},${SECRET}` }, [/FORESTALL_WEBHOOK_SECRETS.*twice/]],
    [
      {
        FORESTALL_PROCESSOR: 'http://pay.example',
        FORESTALL_PROCESSOR_SECRET: SECRET,
        FORESTALL_CONSOLE_HOST: '0.0.0.0',
      },
      [/FORESTALL_PROCESSOR.*https/, /FORESTALL_CONSOLE_TOKEN is missing/],
    ],
    [
      {
        FORESTALL_API_KEY: 'unset',
        FORESTALL_API_KEY_FILE: blank,
        FORESTALL_PARTNER_API_KEY: 'unset',
        FORESTALL_PARTNER_API_KEY_FILE: '/nowhere/key',
      },
      [/FORESTALL_PARTNER_API_KEY_FILE/, /FORESTALL_API_KEY/],
    ],
    [
      {
        FORESTALL_PROCESSOR: 'sandbox',
        FORESTALL_CONSOLE_HOST: '0.0.0.0',
        FORESTALL_CONSOLE_TOKEN: GOOD.FORESTALL_WEBHOOK_SECRETS,
      },
      [
        /FORESTALL_PROCESSOR is the sandbox/,
        /FORESTALL_CONSOLE_TOKEN is the same secret as FORESTALL_WEBHOOK_SECRETS/,
        /FORESTALL_CONSOLE_HOST.*nothing encrypts/,
      ],
    ],
    [
      { FORESTALL_CONSOLE_HOST: '0.0.0.0', FORESTALL_CONSOLE_TOKEN: 'change-me-change-me' },
      [/FORESTALL_CONSOLE_TOKEN is an example/],
    ],
  ];
  for (let index = 0; index < wrong.length; index += 4) {
    const some = wrong.slice(index, index + 4);
    await Promise.all(some.map(([settings, says]) => refusedStart(scene, settings, says)));
  }
  const name = 'start-no-database';
  const away = forestall(scene.rig.folder, { name, args: ['serve'], env: { ...GOOD } });
  deepEqual(await away.ended, { code: 1, signal: null }, away.text());
  match(away.text(), /^The database cannot be used\..*DATABASE_URL/);
  ok(!/ at .*\.(ts|js):|secret-of-the-database/.test(away.text()), away.text());
  const faults = wrong.reduce((sum, [, says]) => sum + says.length, 0);
  return `${faults} faults in ${wrong.length} starts, each named, none with its value, each with status 2`;
}

/** The sandbox's organisation is a test one, its key shows its own alerts. */
async function wrongPairs(scene: Scene): Promise<string> {
  const { rig } = scene;
  const { folder, secrets } = rig;
  const refusedWork = async (env: Record<string, string>, says: RegExp): Promise<void> => {
    const name = `pair-${digits(6)}`;
    const all = { ...rig.environment('work'), ...env };
    const child = forestall(folder, { name, args: ['work'], env: all });
    deepEqual(await child.ended, { code: 2, signal: null }, child.text());
    match(child.text(), says);
  };
  const live = startProcessor(folder, { name: 'live', secret: secrets.processor, mode: 'live' });
  const [, port = ''] = await live.printed(/listening (\d+)/);
  try {
    await refusedWork(
      { FORESTALL_PROCESSOR: `http://127.0.0.1:${port}` },
      /FORESTALL_API_KEY.*test organisation.*FORESTALL_PROCESSOR.*live/,
    );
  } finally {
    await live.end('SIGKILL');
  }
  await scene.alertAbout(await scene.charge());
  await refusedWork(
    { FORESTALL_ORGANISATION_ID: 'org_somebodyelse' },
    /FORESTALL_API_KEY.*FORESTALL_ORGANISATION_ID/,
  );
  return 'a live processor, and the key of another organisation';
}

async function migrations(scene: Scene): Promise<void> {
  const { postgres, folder, environment } = scene.rig;
  const name = `migrating_${digits(8)}`;
  await postgres.createDatabase(name);
  const env = { ...environment('work'), DATABASE_URL: postgres.url(name, postgres.port) };
  const migrate = (): ReturnType<typeof forestall> =>
    forestall(folder, { name: `migrate-${digits(6)}`, args: ['migrate'], env });
  const three = [migrate(), migrate(), migrate()];
  await until('one of them is inside', async () => {
    const rows = await postgres.query(
      'postgres',
      `select 1 from pg_stat_activity where datname = $1`,
      [name],
    );
    return rows.length > 0;
  });
  three[0]?.signal('SIGKILL');
  const endings = await Promise.all(three.map(({ ended }) => ended));
  for (const ending of endings.slice(1)) deepEqual(ending, { code: 0, signal: null });
  const again = migrate();
  deepEqual(await again.ended, { code: 0, signal: null });
  match(again.text(), /Nothing to migrate/);
}

async function oldSchema(scene: Scene): Promise<void> {
  const { postgres, folder, environment } = scene.rig;
  const name = `old_${digits(8)}`;
  await postgres.createDatabase(name);
  for (const role of ['serve', 'work', 'console'] as const) {
    const env = { ...environment(role), DATABASE_URL: postgres.url(name, postgres.port) };
    const child = forestall(folder, { name: `old-${role}`, args: [role], env });
    deepEqual(await child.ended, { code: 2, signal: null }, child.text());
    match(child.text(), /forestall migrate/);
  }
  // The other way round: a later version took something away.
  const { DATABASE_URL, sql } = await asideDatabase(scene);
  await sql(
    `insert into forestall_migration (name, timestamp) values ('9998_later_breaking', $1)`,
    [new Date().toISOString()],
  );
  const env = { ...environment('serve'), DATABASE_URL };
  const child = forestall(folder, { name: 'old-code', args: ['serve'], env });
  deepEqual(await child.ended, { code: 2, signal: null }, child.text());
  match(child.text(), /9998_later_breaking.*Start the later version again/);
}

/** A default password stops a live start; a superuser is told of, a member of the least role is not. */
async function databaseUsers(scene: Scene): Promise<string> {
  const { postgres, folder, environment } = scene.rig;
  for (const [user, password] of [
    ['forestall', 'postgres'],
    ['shop', 'shop'],
  ]) {
    const url = `postgres://${user}:${password}@127.0.0.1:9/none`;
    await refusedStart(scene, { DATABASE_URL: url }, [/DATABASE_URL holds a default password/]);
  }
  const { DATABASE_URL, sql } = await asideDatabase(scene);
  await sql(readFileSync(new URL('../../../migrations/roles.sql', import.meta.url), 'utf8'));
  const password = `least-${digits(12)}`;
  const user = `least_${digits(8)}`;
  await sql(`create user ${user} password '${password}' in role forestall_app`);
  // The rig's own clock, which every user of this database reads.
  await sql('grant select on fault_clock to public');
  const least = new URL(DATABASE_URL);
  [least.username, least.password] = [user, password];
  least.port = String(postgres.port);
  const warns = async (url: string): Promise<boolean> => {
    const env = { ...environment('serve'), DATABASE_URL: url };
    const child = forestall(folder, { name: `user-${digits(6)}`, args: ['serve'], env });
    await child.printed(/"msg":"listening"/);
    deepEqual(await child.end('SIGTERM'), { code: 0, signal: null });
    return /"level":"?(40|warn)"?.*names a superuser/.test(child.text());
  };
  equal(await warns(DATABASE_URL), true, 'a superuser is told of');
  equal(await warns(least.href), false, 'a member of the least role is not');
  return 'two default passwords refused; a superuser warned of; a member of forestall_app silent';
}

async function twoKits(scene: Scene): Promise<void> {
  const { rig } = scene;
  const { DATABASE_URL } = await asideDatabase(scene);
  const second = await rig.startAside('work', { DATABASE_URL });
  try {
    const charges = await Promise.all(Array.from({ length: 6 }, () => scene.charge()));
    // No webhook: both find the alerts by their own poll, in whatever order.
    rig.proxies.sandboxToServe.setMode('refuse');
    const ids = await Promise.all(charges.map((charge) => scene.alertAbout(charge)));
    for (const [index, alertId] of ids.entries()) {
      await until(
        'one of the two has answered',
        async () => (await scene.effective(alertId)).length === 1,
        120_000,
      );
      equal((await rig.processor.ours(charges[index]?.reference ?? '')).length, 1, 'one refund');
    }
  } finally {
    rig.proxies.sandboxToServe.setMode('pass');
    await second.end('SIGTERM');
  }
}

export const START_CASES: readonly FaultCase[] = [
  { id: 'F83', place: 'alone', run: migrations },
  { id: 'F84', place: 'alone', run: oldSchema },
  { id: 'F85', place: 'start', run: badSecrets },
  { id: 'F86', place: 'alone', run: wrongPairs },
  { id: 'V13.2.2', place: 'shared', run: databaseUsers },
  { id: 'F89', place: 'alone', run: twoKits },
];
