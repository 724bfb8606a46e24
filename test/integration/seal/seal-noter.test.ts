/**
 * Guarantee: a process says for all its organisations in one statement which data key it seals with, behind the wall
 * between them, and for no others.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { OpenDatabase } from '../../../src/base/db/connect.ts';
import { openDatabase } from '../../../src/base/db/connect.ts';
import { forAllOrganisations, forOrganisation } from '../../../src/base/db/for-organisation.ts';
import { parseDataKeys } from '../../../src/base/kernel/data-keys.ts';
import { createLog } from '../../../src/base/kernel/log.ts';
import { createKeyAdmission, dataKeyFaults } from '../../../src/base/seal/key-admission.ts';
import type { SealNoter } from '../../../src/base/seal/seal-noter.ts';
import { createSealNoter } from '../../../src/base/seal/seal-noter.ts';
import type { TestDatabase } from '../../support/database.ts';
import { createTestDatabase } from '../../support/database.ts';

const KEYS = parseDataKeys(`k1:${Buffer.alloc(32, 'the key of both').toString('base64')}`);
const LONG_AGO = new Date('2026-01-01T00:00:00Z');
const log = createLog({ level: 'silent' });

let database: TestDatabase;
let shared: OpenDatabase;
let noter: SealNoter;

beforeAll(async () => {
  database = await createTestDatabase();
  const url = new URL(database.connectionString);
  url.searchParams.set('options', '-c role=forestall_app');
  shared = openDatabase({ connectionString: url.href, log, dataKeys: KEYS });
  noter = createSealNoter({ db: forAllOrganisations(shared, 'data_keys').db, log });
  for (const organisationId of ['org_a', 'org_b', 'org_c']) {
    const { db } = forOrganisation(shared, organisationId);
    await createKeyAdmission({ db, organisationId, log, noter }).admit();
  }
});
afterAll(async () => {
  for (const organisationId of ['org_a', 'org_b']) noter.remove(organisationId);
  await shared.close();
  await database.drop();
});

it('notes all that are there, and none that has gone', async () => {
  noter.remove('org_c');
  await database.db.updateTable('data_key').set({ sealing_at: LONG_AGO }).execute();
  await database.db.deleteFrom('data_key').where('organisation_id', '=', 'org_b').execute();
  const changes = async (): Promise<number> => {
    const { rows } = await database.pool.query<{ calls: number }>(
      'select count(distinct xmin::text)::int as calls from data_key where sealing_at > $1',
      [LONG_AGO],
    );
    return rows[0]?.calls ?? 0;
  };
  expect(await changes()).toBe(0);
  await noter.note();
  // One transaction wrote them all.
  expect(await changes()).toBe(1);
  const rows = await database.db
    .selectFrom('data_key')
    .select(['organisation_id', 'sealing_at'])
    .orderBy('organisation_id')
    .execute();
  expect(rows.map(({ organisation_id: id }) => id)).toEqual(['org_a', 'org_b', 'org_c']);
  expect(rows.filter(({ sealing_at: at }) => at > LONG_AGO)).toHaveLength(2);
  // Each has a known text of its own.
  for (const { organisation_id: id } of rows) {
    expect(await dataKeyFaults(forOrganisation(shared, id).db, id, KEYS)).toEqual([]);
  }
});
