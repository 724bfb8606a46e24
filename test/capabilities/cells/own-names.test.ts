/**
 * Guarantee: two people of different organisations never come to have one name in a database by a move: it is refused, and
 * nothing has begun, until one of them has another.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { MoveContext } from '../../../src/capabilities/cells/move-context.ts';
import { moveOrganisation } from '../../../src/capabilities/cells/move-organisation.ts';
import { previewMove } from '../../../src/capabilities/cells/preview-move.ts';
import { CAPABILITY_TABLES } from '../../../src/capabilities/index.ts';
import { addOperator, removeOperator } from '../../../src/surface/access/operator.store.ts';
import { INSTALLATION } from '../../../src/surface/access/right.store.ts';
import { NOW } from '../../integration/reconcile/rows.ts';
import type { TestDatabase } from '../../support/database.ts';
import { createTestDatabase } from '../../support/database.ts';

const ID = 'org_moves';
const act = { by: 'test', now: new Date(NOW) } as const;
let here: TestDatabase;
let there: TestDatabase;

beforeAll(async () => {
  [here, there] = await Promise.all([createTestDatabase(), createTestDatabase()]);
});
afterAll(async () => {
  await here.drop();
  await there.drop();
});

const enter = async ({ db }: TestDatabase, organisationId: string, name: string) =>
  expect(
    await addOperator(db, { ...act, organisationId, name, role: 'viewer', token: { as: 'link' } }),
  ).toMatchObject({ ok: true });

const namesAt = async ({ pool }: TestDatabase): Promise<readonly string[]> => {
  const { rows } = await pool.query<{ name: string }>(
    'select name from console_operator order by name',
  );
  return rows.map(({ name }) => name);
};

it('an organisation whose people have names of others there does not move until they have not', async () => {
  const context: MoveContext = {
    organisationId: ID,
    source: here,
    target: there,
    described: CAPABILITY_TABLES,
    sourceName: 'here',
    targetName: 'there',
    forwardUrl: undefined,
    holder: 'test',
    graceMs: 0,
    tell: () => undefined,
  };
  for (const name of ['Ada', 'Bea', 'Kim']) await enter(here, ID, name);
  await enter(there, 'org_other', 'ADA');
  await enter(there, INSTALLATION, 'kim');
  await enter(there, 'org_other', 'Vic');

  const refusal = /operators of the same name already: ADA, kim\..*forestall operators remove/;
  await expect(previewMove(context)).rejects.toThrow(refusal);
  await expect(moveOrganisation(context)).rejects.toThrow(refusal);
  for (const { pool } of [here, there]) {
    const { rows } = await pool.query('select state from organisation_move');
    expect(rows).toEqual([]);
  }
  expect(await namesAt(there)).toEqual(['ADA', 'Vic', 'kim']);

  await removeOperator(there.db, { ...act, organisationId: 'org_other', name: 'ADA' });
  await expect(moveOrganisation(context)).rejects.toThrow(/already: kim\./);
  await removeOperator(here.db, { ...act, organisationId: ID, name: 'Kim' });
  expect(await previewMove(context)).toMatchObject({ tables: expect.any(Array) });
  expect(await moveOrganisation(context)).toMatchObject({ state: 'SWITCHED' });
  expect(await namesAt(there)).toEqual(['Ada', 'Bea', 'Vic', 'kim']);
});
