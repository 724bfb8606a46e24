/** Guarantee: wrong settings stop the start, all named at once, and no value is ever repeated. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readSettings } from '../../src/running/config.ts';

const LIVE = {
  FORESTALL_SERVICE_URL: 'https://service.example/api',
  FORESTALL_API_KEY: 'key_0123456789abcdef',
  FORESTALL_WEBHOOK_SECRETS: 'whsec_0123456789abcdef',
  FORESTALL_ORGANISATION_ID: 'org_1',
};

function faultsOf(env: Record<string, string>): string {
  try {
    readSettings(env);
  } catch (error) {
    return error instanceof Error ? error.message : '';
  }
  return 'no fault';
}

describe('a default password of the database', () => {
  const url = 'postgres://shop:postgres@db.example/shop';

  it('is taken where nothing real is acted upon, and an address without one always', () => {
    expect(faultsOf({ DATABASE_URL: url })).toBe('no fault');
    expect(faultsOf({ ...LIVE, DATABASE_URL: url, FORESTALL_MODE: 'shadow' })).toBe('no fault');
    for (const open of ['postgres://shop@db.example/shop', 'postgres://db.example/shop']) {
      expect(faultsOf({ ...LIVE, DATABASE_URL: open })).toBe('no fault');
    }
  });
});

describe('with nothing set', () => {
  it('is the sandbox with its processor, an embedded database and the console on loopback', () => {
    expect(readSettings({})).toMatchObject({
      databaseUrl: undefined,
      service: { kind: 'sandbox' },
      processor: { kind: 'sandbox' },
      port: 8080,
      consolePort: 8081,
      console: { host: '127.0.0.1', ownTls: false, secureCookies: false, oidc: undefined },
      sandboxPort: 8082,
      mode: 'live',
      reconcileSeconds: 120,
      consoleToken: undefined,
    });
  });
});

describe('connections to the database', () => {
  it('are as many, and wait as long, as is said', () => {
    const url = 'postgres://shop:its-own-password@db.example/shop';
    expect(readSettings({}).database).toEqual({
      directUrl: undefined,
      schema: 'forestall',
      maxConnections: 10,
      receiveConnections: 5,
      statementTimeoutMs: 30_000,
      lockTimeoutMs: 10_000,
      connectTimeoutMs: 5_000,
    });
    const settings = readSettings({
      DATABASE_URL: url,
      FORESTALL_DATABASE_DIRECT_URL: `${url}?direct`,
      FORESTALL_DATABASE_SCHEMA: 'shop_alerts',
      FORESTALL_DATABASE_CONNECTIONS: '25',
      FORESTALL_DATABASE_RECEIVE_CONNECTIONS: '2',
      FORESTALL_DATABASE_STATEMENT_SECONDS: '120',
      FORESTALL_DATABASE_LOCK_SECONDS: '7',
      FORESTALL_DATABASE_CONNECT_SECONDS: '3',
    });
    expect(settings.database).toEqual({
      directUrl: `${url}?direct`,
      schema: 'shop_alerts',
      maxConnections: 25,
      receiveConnections: 2,
      statementTimeoutMs: 120_000,
      lockTimeoutMs: 7_000,
      connectTimeoutMs: 3_000,
    });
  });

  it('are refused where they cannot be', () => {
    expect(faultsOf({ FORESTALL_DATABASE_DIRECT_URL: 'postgres://db.example/shop' })).toContain(
      'DATABASE_URL, which is missing',
    );
    expect(faultsOf({ FORESTALL_DATABASE_CONNECTIONS: '2' })).toContain(
      'FORESTALL_DATABASE_CONNECTIONS',
    );
    for (const name of ['public', 'pg_forestall', 'Shop', 'shop-alerts', '1st', 'a'.repeat(41)]) {
      expect(faultsOf({ FORESTALL_DATABASE_SCHEMA: name })).toContain('FORESTALL_DATABASE_SCHEMA');
    }
    expect(faultsOf({ FORESTALL_DATABASE_LOCK_SECONDS: '0' })).toContain(
      'FORESTALL_DATABASE_LOCK_SECONDS',
    );
  });
});

describe('with a real service', () => {
  it('moves no money unless a processor is named', () => {
    expect(readSettings(LIVE).processor).toEqual({ kind: 'none' });
  });

  it('reads several secrets, newest first', () => {
    const settings = readSettings({
      ...LIVE,
      FORESTALL_WEBHOOK_SECRETS: 'whsec_new_0123456789,whsec_old_0123456789',
    });
    expect(settings.webhookSecrets).toEqual(['whsec_new_0123456789', 'whsec_old_0123456789']);
  });

  it('reports everything that is missing at once', () => {
    const message = faultsOf({ FORESTALL_SERVICE_URL: 'https://service.example' });
    expect(message).toContain('FORESTALL_API_KEY is missing');
    expect(message).toContain('FORESTALL_WEBHOOK_SECRETS is missing');
    expect(message).toContain('FORESTALL_ORGANISATION_ID is missing');
  });
});

describe('refuses, naming the setting and not its value', () => {
  const cases: [string, Record<string, string>, string, string][] = [
    [
      'a default password of the direct database',
      {
        ...LIVE,
        DATABASE_URL: 'postgres://shop:its-own-password@pooler.example/shop',
        FORESTALL_DATABASE_DIRECT_URL: 'postgres://shop:Passw0rd@db.example/shop',
      },
      'FORESTALL_DATABASE_DIRECT_URL holds a default password',
      'Passw0rd',
    ],
    [
      'a direct database of another kind',
      { DATABASE_URL: 'postgres://db', FORESTALL_DATABASE_DIRECT_URL: 'mysql://root@db' },
      'FORESTALL_DATABASE_DIRECT_URL',
      'root@db',
    ],
    [
      'a default password of the database',
      { ...LIVE, DATABASE_URL: 'postgres://shop:Passw0rd@db.example/shop' },
      'DATABASE_URL holds a default password',
      'Passw0rd',
    ],
    [
      'a password that is the user’s name',
      { ...LIVE, DATABASE_URL: 'postgres://merchant:merchant@db.example/shop' },
      'DATABASE_URL holds a default password',
      'merchant',
    ],
    [
      'an empty secret',
      { ...LIVE, FORESTALL_WEBHOOK_SECRETS: '' },
      'FORESTALL_WEBHOOK_SECRETS',
      'whsec',
    ],
    [
      'an empty secret beside a good one',
      { ...LIVE, FORESTALL_WEBHOOK_SECRETS: 'whsec_0123456789abcdef,' },
      'FORESTALL_WEBHOOK_SECRETS',
      '0123456789abcdef',
    ],
    [
      'a short secret',
      { ...LIVE, FORESTALL_WEBHOOK_SECRETS: 'whsec_short' },
      'FORESTALL_WEBHOOK_SECRETS',
      'whsec_short',
    ],
    [
      'white space in a secret',
      { ...LIVE, FORESTALL_WEBHOOK_SECRETS: 'whsec_0123 456789abcdef' },
      'FORESTALL_WEBHOOK_SECRETS',
      '456789abcdef',
    ],
    [
      'the same secret twice',
      { ...LIVE, FORESTALL_WEBHOOK_SECRETS: 'whsec_0123456789abcdef,whsec_0123456789abcdef' },
      'FORESTALL_WEBHOOK_SECRETS',
      '0123456789abcdef',
    ],
    [
      'a plain http service',
      { ...LIVE, FORESTALL_SERVICE_URL: 'http://service.example' },
      'FORESTALL_SERVICE_URL',
      'service.example',
    ],
    [
      'a plain http processor',
      {
        ...LIVE,
        FORESTALL_PROCESSOR: 'http://processor.example',
        FORESTALL_PROCESSOR_SECRET: 'secret_0123456789',
      },
      'FORESTALL_PROCESSOR',
      'processor.example',
    ],
    [
      'an http processor without a secret',
      { ...LIVE, FORESTALL_PROCESSOR: 'https://processor.example' },
      'FORESTALL_PROCESSOR_SECRET',
      'processor.example',
    ],
    [
      'the sandbox processor with a real service',
      { ...LIVE, FORESTALL_PROCESSOR: 'sandbox' },
      'FORESTALL_PROCESSOR',
      'key_0123',
    ],
    [
      'a key without a service',
      { FORESTALL_API_KEY: 'key_0123456789abcdef' },
      'FORESTALL_API_KEY',
      'key_0123',
    ],
    ['a port out of range', { PORT: '70000' }, 'PORT', '70000'],
    [
      'an example in place of a secret',
      { ...LIVE, FORESTALL_CONSOLE_TOKEN: 'change-me-please-1' },
      'FORESTALL_CONSOLE_TOKEN',
      'change-me',
    ],
    [
      'the text of a dashboard in place of a secret',
      { ...LIVE, FORESTALL_WEBHOOK_SECRETS: 'whsec_<SIGNING_SECRET>' },
      'FORESTALL_WEBHOOK_SECRETS',
      'whsec_',
    ],
    [
      'one character repeated',
      { ...LIVE, FORESTALL_API_KEY: 'kkkkkkkkkkkkkkkkkkkk' },
      'FORESTALL_API_KEY',
      'kkkk',
    ],
    [
      'one secret for two purposes',
      { ...LIVE, FORESTALL_CONSOLE_TOKEN: LIVE.FORESTALL_API_KEY },
      'FORESTALL_CONSOLE_TOKEN is the same secret as FORESTALL_API_KEY',
      '0123456789abcdef',
    ],
    [
      'an old signing secret as a processor secret',
      {
        ...LIVE,
        FORESTALL_WEBHOOK_SECRETS: 'whsec_new_0123456789,whsec_old_0123456789',
        FORESTALL_PROCESSOR: 'https://processor.example',
        FORESTALL_PROCESSOR_SECRET: 'whsec_old_0123456789',
      },
      'FORESTALL_PROCESSOR_SECRET is the same secret as FORESTALL_WEBHOOK_SECRETS',
      '0123456789',
    ],
    ['an unknown mode', { FORESTALL_MODE: 'yolo' }, 'FORESTALL_MODE', 'yolo'],
    [
      'a public console without a token',
      { FORESTALL_CONSOLE_HOST: '0.0.0.0' },
      'FORESTALL_CONSOLE_TOKEN',
      '0.0.0.0',
    ],
    [
      'a public console that nothing encrypts',
      { FORESTALL_CONSOLE_HOST: '0.0.0.0', FORESTALL_CONSOLE_TOKEN: 'token-of-sixteen-chars' },
      'FORESTALL_CONSOLE_PLAIN_HTTP=allow',
      'token-of-sixteen-chars',
    ],
    [
      'half of an identity provider',
      { FORESTALL_OIDC_ISSUER: 'https://id.example' },
      'FORESTALL_OIDC_CLIENT_ID',
      'id.example',
    ],
    [
      'an identity provider without encryption',
      { FORESTALL_OIDC_ISSUER: 'http://id.example' },
      'FORESTALL_OIDC_ISSUER must be https',
      'id.example',
    ],
    ...[
      '0',
      '-1',
      '1.5',
      '11',
      'true',
      '*',
      '0.0.0.0/0',
      '::/0',
      '10.0.0.0/7',
      '10.0.0.1/33',
      '10.0.0.1/8/8',
      '10.0.0.1:80',
    ].map((proxies): [string, Record<string, string>, string, string] => [
      `proxies that cannot be meant: ${proxies}`,
      { FORESTALL_CONSOLE_TRUSTED_PROXIES: proxies },
      'FORESTALL_CONSOLE_TRUSTED_PROXIES must be a number of proxies',
      proxies.length > 2 ? proxies : 'undefined',
    ]),
    [
      'a data key that is too short',
      { FORESTALL_DATA_KEYS: 'k1:c2hvcnQtcGxhaW4=' },
      'FORESTALL_DATA_KEYS entry 1 is not the base64 of 32 bytes',
      'c2hvcnQ',
    ],
    ['data keys that are empty', { FORESTALL_DATA_KEYS: '' }, 'FORESTALL_DATA_KEYS is empty', '='],
    [
      'a data key that is empty beside a good one',
      { FORESTALL_DATA_KEYS: ',k1:c2hvcnQtcGxhaW4=' },
      'FORESTALL_DATA_KEYS entry 1',
      'c2hvcnQ',
    ],
    [
      'a data key that is the console token too',
      {
        FORESTALL_DATA_KEYS: `k1:${Buffer.from('a-token-of-thirty-two-characters').toString('base64')}`,
        FORESTALL_CONSOLE_TOKEN: 'a-token-of-thirty-two-characters',
      },
      'FORESTALL_DATA_KEYS is the same secret as FORESTALL_CONSOLE_TOKEN',
      'thirty-two',
    ],
    ['half of a TLS pair', { FORESTALL_TLS_CERT: '/cert.pem' }, 'FORESTALL_TLS_KEY', '/cert.pem'],
    ['another kind of database', { DATABASE_URL: 'mysql://root@db' }, 'DATABASE_URL', 'root@db'],
    [
      'a malformed brand token',
      { FORESTALL_BRAND_TOKENS: 'NETX=OTHER' },
      'FORESTALL_BRAND_TOKENS',
      'undefined',
    ],
    [
      'an unreadable file',
      { FORESTALL_API_KEY_FILE: '/nonexistent/key' },
      'FORESTALL_API_KEY_FILE',
      '/nonexistent',
    ],
  ];
  it.each(cases)('%s', (_name, env, setting, value) => {
    const message = faultsOf(env);
    expect(message).toContain(setting);
    expect(message).not.toContain(value);
  });
});

describe('NAME_FILE', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'forestall-config-')), 'secret');
  writeFileSync(file, 'key_from_file_0123456789\n');

  it('is read, its trailing newline dropped', () => {
    const { FORESTALL_API_KEY: _dropped, ...rest } = LIVE;
    const settings = readSettings({ ...rest, FORESTALL_API_KEY_FILE: file });
    expect(settings.service).toMatchObject({ apiKey: 'key_from_file_0123456789' });
  });

  it('is refused beside NAME', () => {
    const message = faultsOf({ ...LIVE, FORESTALL_API_KEY_FILE: file });
    expect(message).toContain('FORESTALL_API_KEY and FORESTALL_API_KEY_FILE are both set');
  });
});

describe('data keys', () => {
  it('are none unless set, and are read from a file with a line each', () => {
    expect(readSettings({}).dataKeys).toBeUndefined();
    const path = join(mkdtempSync(join(tmpdir(), 'forestall-config-')), 'keys');
    const lines = ['new', 'old'].map(
      (id) => `${id}:${Buffer.alloc(32, `key ${id}`).toString('base64')}`,
    );
    writeFileSync(path, `${lines.join('\n')}\n`);
    const { dataKeys } = readSettings({ FORESTALL_DATA_KEYS_FILE: path });
    expect([dataKeys?.sealing?.id, [...(dataKeys?.byId.keys() ?? [])]]).toEqual([
      'new',
      ['new', 'old'],
    ]);
  });
});

describe('the console beyond this machine', () => {
  const elsewhere = {
    FORESTALL_CONSOLE_HOST: '0.0.0.0',
    FORESTALL_CONSOLE_TOKEN: 'token-of-sixteen-chars',
  };
  it.each([
    [
      'its own certificate',
      { FORESTALL_TLS_CERT: '/cert.pem', FORESTALL_TLS_KEY: '/key.pem' },
      { ownTls: true, secureCookies: true },
    ],
    [
      'a proxy that encrypts',
      { FORESTALL_CONSOLE_URL: 'https://forestall.example' },
      { ownTls: false, secureCookies: true },
    ],
    [
      'a statement that plain HTTP will do',
      { FORESTALL_CONSOLE_PLAIN_HTTP: 'allow' },
      { ownTls: false, secureCookies: false },
    ],
  ])('listens with %s', (_how, settings, console) => {
    expect(readSettings({ ...elsewhere, ...settings })).toMatchObject({
      console: { host: '0.0.0.0', ...console },
    });
  });

  it.each([
    [undefined, undefined],
    ['1', 1],
    ['10.0.0.7', ['10.0.0.7']],
    ['loopback, 10.1.0.0/16,fc00::/7', ['loopback', '10.1.0.0/16', 'fc00::/7']],
  ])('believes about callers whom FORESTALL_CONSOLE_TRUSTED_PROXIES names: %s', (text, trusted) => {
    const settings = text === undefined ? {} : { FORESTALL_CONSOLE_TRUSTED_PROXIES: text };
    expect(readSettings(settings).console.trustedProxies).toEqual(trusted);
  });

  it('is not encrypted by a certificate while it stays on this machine', () => {
    const tls = { FORESTALL_TLS_CERT: '/cert.pem', FORESTALL_TLS_KEY: '/key.pem' };
    expect(readSettings(tls).console).toMatchObject({ ownTls: false, secureCookies: false });
  });
});
