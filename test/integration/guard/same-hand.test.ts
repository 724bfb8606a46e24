/**
 * Guarantee: an administrator who makes two people does not so become two people: for a day whoever was made by the other,
 * or by the same hand, is no second person, in whichever order they agree, and behind the wall with the console's rights.
 */
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_GUARDS } from '../../../src/alerts/guard/guard-settings.ts';
import { DEFAULT_REFUND_SETTINGS } from '../../../src/alerts/guard/refund-settings.ts';
import { applyOperatorDecision } from '../../../src/alerts/review/apply-operator-decision.ts';
import type { OpenDatabase } from '../../../src/base/db/connect.ts';
import {
  addOperator,
  findOperator,
  renewToken,
  setRole,
} from '../../../src/surface/access/operator.store.ts';
import { grantRight, INSTALLATION } from '../../../src/surface/access/right.store.ts';
import type { SagaWorld } from '../../crash/support/saga-world.ts';
import { createSagaWorld, HOUR_MS } from '../../crash/support/saga-world.ts';
import { answerShown } from '../../support/approvals.ts';
import { openAsConsole } from '../../support/console-role.ts';
import { useTestDatabase } from '../../support/database.ts';

const test = useTestDatabase();
let world: SagaWorld;
let people: OpenDatabase | undefined;

beforeEach(async () => {
  world = createSagaWorld(test.db);
  await people?.close();
  people = openAsConsole(test.name, world.organisationId);
  const guards = { ...DEFAULT_GUARDS, approvalAboveMinor: { EUR: 4_999 } };
  world.settings = { ...DEFAULT_REFUND_SETTINGS, guards };
});
afterAll(() => people?.close());

const now = () => new Date(world.clock.nowMs());

async function make(by: string, name: string, ageMs = 0, home = world.organisationId) {
  const at = new Date(world.clock.nowMs() - ageMs);
  const change = { organisationId: home, name, by, now: at };
  const added = await addOperator(test.db, { ...change, role: 'reviewer', token: { as: 'link' } });
  if (!added.ok) throw new Error(`${name}: ${added.reason}`);
  return change;
}

async function wait(decidedBy?: string): Promise<void> {
  const decided = decidedBy === undefined ? {} : { decidedBy };
  await world.open({ alertId: 'netalrt_1', ...decided });
  await world.settle([world.worker('w1')]);
}

async function agree(operator: string) {
  const db = people?.db ?? test.db;
  const { organisationId } = world;
  const answer = { organisationId, alertId: 'netalrt_1', operator, approve: true, now: now() };
  return await answerShown(db, answer);
}

const SAME_HAND = { ok: false, reason: 'same_hand' };
const calls = () => world.processor.calls.length;

describe('the second person', () => {
  it('is not one of two whom the same administrator made', async () => {
    await make('root', 'mallory one', HOUR_MS);
    await make('root', 'mallory two');
    await wait();
    expect(await agree('mallory one')).toMatchObject({ ok: true, state: 'PENDING' });
    expect(await agree('mallory two')).toEqual(SAME_HAND);
    expect(await agree('root')).toEqual(SAME_HAND);
    await world.settle([world.worker('w1')]);
    expect(calls()).toBe(0);
    expect(await agree('someone else')).toMatchObject({ ok: true, state: 'APPROVED' });
  });

  it('is not whom the first made, gave a token, a role or a right', async () => {
    const DAY_MS = 24 * HOUR_MS;
    for (const name of ['t', 'r']) await make('long ago', name, 2 * DAY_MS);
    await make('ada', 'm');
    const guest = await make('long ago', 'g', 2 * DAY_MS, INSTALLATION);
    const by = { organisationId: world.organisationId, by: 'Ada', now: now() };
    await renewToken(test.db, { ...by, name: 't', token: { as: 'link' } });
    await setRole(test.db, { ...by, name: 'r', role: 'administrator' });
    const row = await findOperator(test.db, INSTALLATION, 'g');
    const key = { home: INSTALLATION, operatorId: row?.id ?? '' };
    await grantRight(test.db, { ...guest, ...by, ...key, role: 'reviewer' });
    await wait('operator:ada');
    for (const name of ['m', 't', 'r', 'g']) {
      expect([name, await agree(name)]).toEqual([name, SAME_HAND]);
    }
    expect(calls()).toBe(0);
  });

  it('may be a colleague who was made a day ago', async () => {
    await make('ada', 'bo', 24 * HOUR_MS);
    await wait('operator:ada');
    expect(await agree('bo')).toMatchObject({ ok: true, state: 'APPROVED' });
  });

  it('is not whom the first made for the installation, and a minute less than a day counts', async () => {
    await make('ada', 'cy', 24 * HOUR_MS - 60_000, INSTALLATION);
    await wait('operator:ada');
    expect(await agree('cy')).toEqual(SAME_HAND);
  });

  it('is not whom the first made in another organisation, however old their right here is', async () => {
    const home = 'org_elsewhere';
    const guest = await make('ada', 'ed', 0, home);
    const row = await findOperator(test.db, home, 'ed');
    const long = { by: 'long ago', now: new Date(world.clock.nowMs() - 48 * HOUR_MS) };
    await grantRight(test.db, {
      ...{ ...guest, ...long, organisationId: world.organisationId },
      ...{ home, operatorId: row?.id ?? '', role: 'reviewer' },
    });
    await wait('operator:ada');
    expect(await agree('ed')).toEqual(SAME_HAND);
  });

  it('is not found by deciding what the other agreed to before', async () => {
    await make('ada', 'di');
    await wait();
    expect(await agree('ada')).toMatchObject({ ok: true, state: 'PENDING' });
    await applyOperatorDecision(test.db, {
      ...{ organisationId: world.organisationId, alertId: 'netalrt_1', action: 'REFUND' },
      ...{ note: 'mine', operator: 'di', approvalAboveMinor: { EUR: 4_999 }, now: now() },
    });
    await world.settle([world.worker('w1')]);
    expect(calls()).toBe(0);
  });
});
