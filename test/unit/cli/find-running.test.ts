/**
 * Guarantee: a command acts on the database that the settings name and never on that of a demonstration that
 * happens to run in the same folder; what is missing, or does not answer, is named.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { childEnv } from '../../support/child-env.ts';
import { SYNC_LIMIT_MS, spawnSync } from '../../support/child-process.ts';

const MAIN = fileURLToPath(new URL('../../../src/people/cli/main.ts', import.meta.url));
/** Port 1 is nobody's. */
const OWN = 'postgres://shop@127.0.0.1:1/own';
const NOTED = 'postgres://shop@127.0.0.1:1/demonstration';

const folder = mkdtempSync(join(tmpdir(), 'forestall-running-'));
mkdirSync(join(folder, '.forestall'));
writeFileSync(
  join(folder, '.forestall', 'running.json'),
  JSON.stringify({ connectionString: NOTED, organisationId: 'org_demo' }),
);
afterAll(() => rmSync(folder, { recursive: true }));

function pause(env: Readonly<Record<string, string>>): { text: string; status: number | null } {
  const { stderr, status } = spawnSync(process.execPath, [MAIN, 'pause'], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...childEnv(), ...env },
    timeout: SYNC_LIMIT_MS,
  });
  return { text: stderr, status };
}

describe('forestall pause beside a demonstration', () => {
  it('is refused when DATABASE_URL names another database and nobody said for whom', () => {
    const { text, status } = pause({ DATABASE_URL: OWN });
    expect(text).toMatch(/^FORESTALL_ORGANISATION_ID is missing/);
    expect(status).toBe(2);
  });

  it('says that the database of the settings does not answer, and why', () => {
    const { text, status } = pause({ DATABASE_URL: OWN, FORESTALL_ORGANISATION_ID: 'org_1' });
    expect(text).toBe(
      'The database cannot be used. Check DATABASE_URL, and that the server runs and lets this user in.\nCause: ECONNREFUSED (connect)\n',
    );
    expect(status).toBe(1);
  });

  it('without settings is about the demonstration', () => {
    const { text, status } = pause({});
    expect(text).toBe('The database cannot be reached. Is "forestall start" still running?\n');
    expect(status).toBe(2);
  });
});
