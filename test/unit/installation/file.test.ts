/**
 * Guarantee: an organisation of `installation.yaml` is read as the settings it stands for; what identifies it is never
 * taken from another one; and every mistake is named with its place.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readSettings } from '../../../src/running/config.ts';
import { addOrganisation } from '../../../src/running/installation/add-organisation.ts';
import { installationJsonSchema } from '../../../src/running/installation/installation-file.ts';
import {
  readLoosenings,
  readOrganisations,
} from '../../../src/running/installation/installation-watcher.ts';
import { parseInstallation } from '../../../src/running/installation/read-installation.ts';
import schema from '../../../templates/installation/installation.schema.json' with { type: 'json' };

const folder = mkdtempSync(join(tmpdir(), 'forestall-file-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = join(folder, 'installation.yaml');

const ENV = {
  FORESTALL_SERVICE_URL: 'https://service.example',
  // Of some organisation alone: nobody of the file may get them.
  FORESTALL_API_KEY: 'key-of-the-environment-0123',
  FORESTALL_INTEGRATION_ID: 'int_env',
  FORESTALL_ESTATE: '/of/somebody/estate.yaml',
  KEY_A: 'key-of-a-0123456789',
  KEY_B: 'key-of-b-0123456789',
  SECRET_A: 'whsec_of-a-0123456789',
  SECRET_A_NEXT: 'whsec_of-a-next-0123456',
  SECRET_B: 'whsec_of-b-0123456789',
};

const A = `  - id: org_a
    name: Brand A
    api_key: {env: KEY_A}
    webhook_secrets: [{env: SECRET_A_NEXT}, {env: SECRET_A}]
`;
const B = `  - id: org_b
    name: Büro & Söhne
    mode: shadow
    api_key: {env: KEY_B}
    webhook_secrets: [{env: SECRET_B}]
    integration: int_b
`;

function write(text: string): string {
  writeFileSync(file, text);
  return file;
}

function problemsOf(text: string): string {
  try {
    readOrganisations(write(text), ENV);
    return '';
  } catch (error) {
    return String(error instanceof Error ? error.message : error).replaceAll(`${file}:`, '');
  }
}

describe('the organisations of a file', () => {
  it('have the form that the example to copy has', () => {
    const example = new URL('../../../templates/installation/two-brands.yaml', import.meta.url);
    const { data } = parseInstallation('two-brands.yaml', readFileSync(example, 'utf8'), ENV);
    expect(data.organisations.map(({ id, mode }) => [id, mode])).toEqual([
      ['org_brand_one', 'live'],
      ['org_brand_two', 'shadow'],
    ]);
  });

  it('are the settings they stand for, over defaults and the environment', () => {
    write(`version: 1\ndefaults: {reconcile_seconds: 300}\norganisations:\n${A}${B}`);
    const [a, b] = readOrganisations(file, ENV);
    expect([a?.path, b?.path]).toEqual(['brand-a', 'buro-sohne']);
    expect(a?.current()).toMatchObject({
      organisationId: 'org_a',
      integrationId: undefined,
      mode: 'live',
      reconcileSeconds: 300,
      webhookSecrets: [ENV.SECRET_A_NEXT, ENV.SECRET_A],
      service: { kind: 'remote', url: 'https://service.example', apiKey: ENV.KEY_A },
    });
    expect(b?.current()).toMatchObject({ mode: 'shadow', integrationId: 'int_b' });
  });

  it('have an estate only where they name one: no default gives it to several', () => {
    write(`version: 1\norganisations:\n${A}    estate: estate.yaml\n${B}`);
    const [a, b] = readOrganisations(file, ENV);
    expect(a?.current().given).toMatchObject({ FORESTALL_ESTATE: join(folder, 'estate.yaml') });
    expect(b?.current().given).toMatchObject({ FORESTALL_ESTATE: undefined });
    expect(
      problemsOf(`version: 1\ndefaults: {estate: estate.yaml}\norganisations:\n${A}`),
    ).toContain('"estate" is not known here.');
  });

  it('are chosen for a command by id or path; the first is meant without a name', () => {
    const env = { ...ENV, FORESTALL_INSTALLATION: write(`version: 1\norganisations:\n${A}${B}`) };
    expect(readSettings(env).organisationId).toBe('org_a');
    for (const name of ['org_b', 'buro-sohne']) {
      expect(readSettings({ ...env, FORESTALL_ORGANISATION_ID: name }).organisationId).toBe(
        'org_b',
      );
    }
    expect(() => readSettings({ ...env, FORESTALL_ORGANISATION_ID: 'org_c' })).toThrow(
      'Known: org_a',
    );
  });

  it.each([
    [
      'a key that is not known',
      A.replace('name:', 'nmae:'),
      '4:5: "nmae" is not known here. Did you mean "name"?',
    ],
    ['a secret in clear', A.replace('{env: KEY_A}', 'key-of-a'), '5:14: api_key: '],
    [
      'a variable that is not set',
      A.replace('KEY_A', 'KEY_X'),
      '5:20: names the variable KEY_X, which is not set. Set it.',
    ],
    [
      'a setting that cannot be used',
      `${A}    reconcile_seconds: 5\n`,
      '7:24: org_a: reconcile_seconds ',
    ],
    [
      'a key of two organisations',
      A + B.replace('KEY_B', 'KEY_A'),
      '10:14: api_key is that of org_a as well.',
    ],
    [
      'a secret of two organisations',
      A + B.replace('SECRET_B', 'SECRET_A'),
      '11:22: webhook_secrets is that of org_a as well.',
    ],
    [
      'a path that is an id',
      A + B.replace('mode: shadow', 'path: brand-a'),
      '9:11: the path brand-a is that of org_a as well.',
    ],
    ['an organisation twice', A + A, '7:9: the id org_a stands here twice.'],
  ])('%s is named with its place', (_what, organisations, problem) => {
    expect(problemsOf(`version: 1\norganisations:\n${organisations}`)).toContain(problem);
  });

  it('never shows the value of a secret', () => {
    const text = problemsOf(`version: 1\norganisations:\n${A}${B.replace('KEY_B', 'KEY_A')}`);
    for (const value of Object.values(ENV).slice(1)) expect(text).not.toContain(value);
  });
});

it('one more is written below the others, beside their comments', () => {
  const before = `# Ours.\nversion: 1\norganisations:\n${A}    # The second brand follows.\n`;
  const text = addOrganisation(
    { file, text: before, env: ENV },
    { id: 'org_b', name: 'B', apiKey: { env: 'KEY_B' }, webhookSecrets: [{ env: 'SECRET_B' }] },
  );
  expect(text.startsWith('# Ours.')).toBe(true);
  expect(text).toContain('# The second brand follows.');
  expect(readOrganisations(write(text), ENV).map(({ id }) => id)).toEqual(['org_a', 'org_b']);
  // In shadow until somebody has looked.
  expect(readOrganisations(file, ENV)[1]?.current().mode).toBe('shadow');
});

describe('an organisation among layers', () => {
  it('has layers: the stricter word holds, and who loosens is told where', () => {
    writeFileSync(
      join(folder, 'all.yaml'),
      'caps: {hour: {count: 50}, charge: {amount: 100.00 USD}}\n',
    );
    writeFileSync(
      join(folder, 'own.yaml'),
      'caps: {charge: {amount: 900.00 USD}, day: {count: 20}}\nbreaker: off\n',
    );
    writeFileSync(
      join(folder, 'outlet.yaml'),
      'caps: {day: {count: 30}}\nfallback: {before: 4h}\n',
    );
    const text = `version: 1
installation: {guards: all.yaml}
defaults: {policy: shared.yaml}
organisations:
${A}    guards: own.yaml
    merchants:
      - id: mrch_outlet
        policy: outlet-policy.yaml
        guards: outlet.yaml
        processor: https://outlet.example/forestall
        processor_secret: {env: KEY_B}
`;
    const [a] = readOrganisations(write(text), ENV);
    const { guard, layers } = a?.current() ?? {};
    // The hour of the installation counts all organisations together, so it is no cap of each.
    expect(guard?.guards).toMatchObject({
      caps: { charge: { amountMinor: { USD: 10_000 } }, day: { count: 20 } },
      breaker: null,
    });
    expect(guard?.guards.caps.hour).toBeUndefined();
    expect(layers).toMatchObject({
      policy: 'installation',
      guardsOf: ['installation', 'organisation'],
      installation: { caps: { hour: { count: 50 } } },
      merchants: [
        {
          id: 'mrch_outlet',
          processor: { kind: 'http', url: 'https://outlet.example/forestall', secret: ENV.KEY_B },
          policyPath: join(folder, 'outlet-policy.yaml'),
          guards: { caps: { day: { count: 30 } }, fallbackBeforeMs: 14_400_000 },
        },
      ],
    });
    expect(readLoosenings(file, ENV).map((line) => line.replace(`${file}:`, ''))).toEqual([
      '9:13: org_a: caps.charge.amount of this guards file is looser than what stands above it, which stays in force. Remove it, or make it tighter.',
      '13:17: org_a: caps.day.count of this guards file is looser than what stands above it, which stays in force. Remove it, or make it tighter.',
    ]);
  });

  it('reads a setting of two keys a level down, from the defaults and from an organisation', () => {
    const monitoring = '    monitoring: {region: EU}\n';
    const text = `version: 1\ndefaults:\n  monitoring: {folder: lines, region: US}\norganisations:\n${A}${monitoring}${B}`;
    const given = readOrganisations(write(text), ENV).map(({ current }) => [
      current().given['FORESTALL_MONITORING'],
      current().given['FORESTALL_MONITORING_REGION'],
    ]);
    expect(given).toEqual([
      [join(folder, 'lines'), 'EU'],
      [join(folder, 'lines'), 'US'],
    ]);
    expect(problemsOf(text.replace('EU}', 'eu}'))).toContain(
      'must be a region as the files name it, for example EU',
    );
  });

  it('says where a merchant is wrong', () => {
    const text = `version: 1\norganisations:\n${A}    merchants:
      - {id: mrch_one, processor: "http://outlet.example", guards: none.yaml}
      - {id: mrch_one, processor: sandbox}
`;
    expect(problemsOf(text).split('\n')).toEqual([
      '8:9: processor_secret is missing; it signs calls to an HTTP processor.',
      '8:35: processor must be https unless it is on this machine.',
      '8:68: names a file that cannot be read. Check the path.',
      '9:14: the merchant mrch_one stands under org_a already. Name it once.',
      '9:35: processor must be none, an http or https address, or the path of a module.',
    ]);
  });
});

it('the published JSON Schema is that of the reader', () => {
  expect(schema).toEqual(installationJsonSchema());
});
