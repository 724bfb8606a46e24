/**
 * Guarantee: whatever a setting holds, its complaint is one sentence that a person understands: the name,
 * what it must be, no word of a library, and never the value.
 */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readSettings, SETTING_NAMES } from '../../src/running/config.ts';
import { SettingsError } from '../../src/running/environment.ts';

function faultsOf(env: Readonly<Record<string, string>>): readonly string[] {
  try {
    readSettings(env);
  } catch (error) {
    if (error instanceof SettingsError) return error.faults;
    throw error;
  }
  return [];
}

/** Any text is a path, an id at the identity provider, a host or a name of a file. */
const TAKES_ANY_TEXT =
  /^FORESTALL_(TLS_(CERT|KEY)|POLICY|ESTATE|MATCHING|EVIDENCE|EVIDENCE_PACKS|EVIDENCE_PACKS_TRIED|CREDIT_WINDOWS|SHADOW_POLICY|COSTS|MONITORING|ENDPOINTS|PROCESSOR|PROCESSOR_EVENTS|METRICS_HOST|CONSOLE_HOST|OIDC_CLIENT_ID)$/;
/** Read before the others, and complains about the file in the file's own words. */
const FILES = new Set(['FORESTALL_INSTALLATION', 'FORESTALL_GUARDS']);
const NAMES = SETTING_NAMES.filter((name) => !FILES.has(name));
const STRICT = NAMES.filter((name) => !TAKES_ANY_TEXT.test(name));
const LIBRARY = /Invalid|Too (small|big)|expected|received|NaN|string|<=|>=/;

describe.each(STRICT)('%s', (name) => {
  it.each(['canary 7f3a!', '-1.5canary'])('says what is wrong with %j', (value) => {
    const faults = faultsOf({ [name]: value });
    expect(faults.filter((fault) => fault.startsWith(name))).not.toEqual([]);
    expect(faults.join('\n')).not.toMatch(LIBRARY);
    expect(faults.join('\n')).not.toContain('canary');
  });
});

describe('an empty value', () => {
  // An empty list is a list.
  const lists = new Set(['FORESTALL_BRAND_TOKENS', 'FORESTALL_PROGRAMMES']);

  it.each(NAMES.filter((name) => !lists.has(name)))('of %s is refused in one line', (name) => {
    expect(faultsOf({ [name]: '' })).toEqual([
      `${name} is empty; give it a value, or leave it out.`,
    ]);
  });

  it('of FORESTALL_INSTALLATION is named, too', () => {
    expect(() => readSettings({ FORESTALL_INSTALLATION: '' })).toThrow(
      /^The settings cannot be used:\n {2}FORESTALL_INSTALLATION is empty; give it a value, or leave it out\.$/,
    );
  });

  it('never becomes port 0, which is any port that is free', () => {
    expect(faultsOf({ PORT: '', FORESTALL_CONSOLE_PORT: ' ' })).toHaveLength(2);
    expect(readSettings({ PORT: '0' }).port).toBe(0);
  });
});

describe('FORESTALL_INSTALLATION_FILE', () => {
  it('names a file that holds the path, as with every other setting', () => {
    const pointer = join(mkdtempSync(join(tmpdir(), 'forestall-pointer-')), 'path');
    writeFileSync(pointer, '/nowhere/installation.yaml\n');
    const read = (): unknown => readSettings({ FORESTALL_INSTALLATION_FILE: pointer });
    expect(read).toThrow('/nowhere/installation.yaml');
  });
});

describe('several faults', () => {
  it('are named at once: wrong values, and what is missing beside them', () => {
    const faults = faultsOf({
      PORT: 'http',
      FORESTALL_SERVICE_URL: 'https://service.example',
      FORESTALL_API_KEY: 'short',
    });
    expect(faults.map((fault) => fault.split(' ')[0])).toEqual([
      'FORESTALL_API_KEY',
      'PORT',
      'FORESTALL_WEBHOOK_SECRETS',
      'FORESTALL_ORGANISATION_ID',
    ]);
  });

  it('name no follow-up of another: a setting that is wrong is not missing, too', () => {
    const faults = faultsOf({ FORESTALL_SERVICE_URL: 'service', FORESTALL_API_KEY: 'k'.repeat(9) });
    expect(faults.map((fault) => fault.split(' ')[0])).toEqual([
      'FORESTALL_SERVICE_URL',
      'FORESTALL_API_KEY',
      'FORESTALL_API_KEY',
    ]);
    expect(
      faultsOf({ FORESTALL_API_KEY_FILE: '/nowhere', FORESTALL_SERVICE_URL: 'x' }),
    ).toHaveLength(2);
  });

  it('of a list say which of its entries is meant', () => {
    const good = 'whsec_0123456789abcdef';
    expect(faultsOf({ FORESTALL_WEBHOOK_SECRETS: `${good},short` })).toEqual([
      'FORESTALL_WEBHOOK_SECRETS, entry 2, must have at least 16 characters.',
    ]);
    expect(
      faultsOf({ FORESTALL_WEBHOOK_SECRETS: [1, 2, 3, 4].map((n) => good + n).join() }),
    ).toEqual(['FORESTALL_WEBHOOK_SECRETS must be at most 3 secrets.']);
  });
});

describe('a number', () => {
  it.each(['2m', '120s', '1e2', '0x78', '12.5', '9', '3601', '−120'])('is not %s', (value) => {
    expect(faultsOf({ FORESTALL_RECONCILE_SECONDS: value })).toEqual([
      'FORESTALL_RECONCILE_SECONDS must be a whole number from 10 to 3600.',
    ]);
  });

  it('may have white space around it, as lines of a file do', () => {
    expect(readSettings({ FORESTALL_RECONCILE_SECONDS: ' 60 ' }).reconcileSeconds).toBe(60);
  });
});
