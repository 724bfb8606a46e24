/**
 * Guarantee: an apply that is killed at any call, or whose answers are lost, refused for the rate, or
 * failed, ends as planned once it runs through: the same estate, nothing twice. What somebody else
 * changes meanwhile stops it with a reason.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/base/kernel/clock.ts';
import type { Journal } from '../../../src/capabilities/estate/plan/apply.ts';
import { applyPlan, EstateApplyError } from '../../../src/capabilities/estate/plan/apply.ts';
import { objectsToNote } from '../../../src/capabilities/estate/plan/drift.ts';
import type { Estate } from '../../../src/capabilities/estate/plan/estate.ts';
import { planEstate } from '../../../src/capabilities/estate/plan/plan.ts';
import { readSources } from '../../../src/capabilities/estate/plan/read-estate.ts';
import type { SavedPlan } from '../../../src/capabilities/estate/plan/saved-plan.ts';
import { createMemoryBudget } from '../../../src/service/client/index.ts';
import { FIRST, SECOND } from './estate-texts.ts';
import type { EstateWorld } from './estate-world.ts';
import { createEstateWorld, memoryJournal, saved } from './estate-world.ts';

let world: EstateWorld;
beforeAll(async () => {
  world = await createEstateWorld();
});
afterAll(() => world.close());
beforeEach(() => {
  world.useNewOrganisation();
  world.calm();
});

function estateOf(text: string): Estate {
  const unique = world.organisationId.slice(-10);
  const whole = `organisation: ${world.organisationId}\nunlisted: remove\n${text.replaceAll('PAIR', unique)}`;
  return readSources({ path: 'estate.yaml', text: whole }, [], {}).estate;
}

async function planned(text: string): Promise<SavedPlan> {
  const plan = await world.plan(estateOf(text), { allowMany: true });
  expect(plan.problems).toEqual([]);
  return saved(plan, [world.organisationId]);
}

/** Runs the plan again and again, as a person would, until it is done. */
async function runUntilDone(plan: SavedPlan): Promise<void> {
  const journal = memoryJournal();
  const options = {
    client: world.client,
    journal,
    clock: systemClock,
    wait: async () => undefined,
  };
  for (let runs = 1; runs <= 3; runs++) {
    try {
      await applyPlan(plan, options);
      return;
    } catch {
      world.calm();
    }
  }
  await applyPlan(plan, options);
}

async function expectDone(text: string): Promise<void> {
  const plan = await world.plan(estateOf(text));
  expect(plan.problems).toEqual([]);
  expect(plan.steps).toEqual([]);
  expect(plan.matched.unlisted).toEqual({ merchants: [], enrolments: [], rulesets: [] });
}

/** How many calls the change makes. */
async function countWrites(text: string): Promise<number> {
  const plan = await planned(text);
  return plan.steps.length;
}

const HARMS = ['killed before', 'killed after', 'answer lost', '429', '500', '500 after'] as const;

describe.each(HARMS)('%s', (harm) => {
  it('at each call of a new estate', async () => {
    const calls = await countWrites(FIRST);
    expect(calls).toBe(6);
    for (let call = 0; call < calls; call++) {
      world.useNewOrganisation();
      const plan = await planned(FIRST);
      world.harm(call, harm);
      await runUntilDone(plan);
      world.calm();
      await expectDone(FIRST);
    }
  });

  it('at each call of a change', async () => {
    for (let call = 0; call < 6; call++) {
      world.useNewOrganisation();
      world.calm();
      await world.apply(estateOf(FIRST));
      const plan = await planned(SECOND);
      expect(plan.steps.map(({ step }) => step.kind)).toEqual([
        'create_merchant',
        'update_merchant',
        'create_ruleset',
        'append_descriptors',
        'delete_ruleset',
      ]);
      world.harm(call, harm);
      await runUntilDone(plan);
      world.calm();
      await expectDone(SECOND);
    }
  });
});

describe('kill -9', () => {
  it.each(['before', 'after'] as const)('%s each line of the journal', async (moment) => {
    await world.apply(estateOf(FIRST));
    const { steps } = await planned(SECOND);
    for (let line = 0; line < steps.length * 2; line++) {
      world.useNewOrganisation();
      await world.apply(estateOf(FIRST));
      const plan = await planned(SECOND);
      const journal = memoryJournal();
      let left = line;
      const dying: Journal = {
        entries: journal.entries,
        async write(entry): Promise<void> {
          if (left-- === 0 && moment === 'before') throw new Error('killed');
          await journal.write(entry);
          if (left === -1 && moment === 'after') throw new Error('killed');
        },
      };
      const options = { client: world.client, clock: systemClock, wait: async () => undefined };
      await expect(applyPlan(plan, { ...options, journal: dying })).rejects.toThrow('killed');
      await applyPlan(plan, { ...options, journal });
      await expectDone(SECOND);
    }
  });
});

it('what it did before it was stopped is known as its own: the next plan sees no conflict', async () => {
  for (let call = 1; call < 6; call++) {
    world.useNewOrganisation();
    await world.apply(estateOf(FIRST));
    const remote = await world.read();
    const { matched } = planEstate(estateOf(FIRST), remote);
    const applied = new Map(
      objectsToNote({ remote, matched }).map((object) => [object.id, object]),
    );
    const plan = await planned(SECOND);
    const stop = new AbortController();
    const options = { client: world.client, clock: systemClock, wait: async () => undefined };
    const run = applyPlan(plan, {
      ...options,
      journal: memoryJournal(),
      signal: stop.signal,
      onStep: (done) => done === call && stop.abort(new Error('stopped')),
      applied,
      remember: async (object) => {
        if (object.content === null) applied.delete(object.id);
        else applied.set(object.id, object);
      },
    });
    if (call < plan.steps.length) await expect(run).rejects.toThrow('stopped');
    else await run;
    // References are noted as the service names them: keys of the file may change.
    const references = [...applied.values()].flatMap((object) => {
      if (object.kind === 'merchant' || object.content === null) return [];
      return object.kind === 'ruleset' ? object.content.enrolments : object.content.merchants;
    });
    expect(references.filter((reference) => !/^(enrl|mrch)_/.test(reference))).toEqual([]);
    const next = await world.plan(estateOf(SECOND), { applied, allowMany: true });
    expect([call, next.problems, next.notes]).toEqual([call, [], []]);
    expect(next.steps).toHaveLength(Math.max(0, plan.steps.length - call));
  }
});

describe('somebody else', () => {
  const run = (plan: SavedPlan): Promise<void> =>
    applyPlan(plan, {
      client: world.client,
      journal: memoryJournal(),
      clock: systemClock,
      wait: async () => undefined,
    });

  it('changed the estate since the plan: it is stale, and nothing is changed', async () => {
    await world.apply(estateOf(FIRST));
    const plan = await planned(SECOND);
    const { merchants } = await world.read();
    await world.client.merchants.update(merchants[0]?.id ?? '', { name: 'Changed' });
    const before = await world.read();
    await expect(run(plan)).rejects.toThrow('The plan is stale');
    expect(await world.read()).toEqual(before);
  });

  it('deletes the new ruleset before the old one goes: the old one stays', async () => {
    await world.apply(estateOf(FIRST));
    const plan = await planned(SECOND);
    world.onWrite = async (_method, path) => {
      if (path !== '/v1/rulesets') return;
      const { rulesets } = await world.read();
      const fresh = rulesets.find(({ join_operator: join }) => join === 'OR');
      world.calm();
      await world.client.rulesets.delete(fresh?.id ?? '');
    };
    await expect(run(plan)).rejects.toThrow('which takes its place, is gone');
    expect((await world.read()).rulesets).toHaveLength(1);
  });

  it('creates the same merchant: it is taken, not created twice', async () => {
    const plan = await planned(FIRST);
    world.onWrite = async () => {
      world.calm();
      await world.client.merchants.create({
        organisation_id: world.organisationId,
        name: 'America',
        type: 'GENERIC',
        external_id: 'us',
      });
    };
    await run(plan);
    expect((await world.read()).merchants).toHaveLength(2);
  });

  it('changes a ruleset that is about to go: the run stops', async () => {
    await world.apply(estateOf(FIRST));
    const plan = await planned(SECOND);
    world.onWrite = async (method) => {
      if (method !== 'PATCH') return;
      world.calm();
      const { rulesets } = await world.read();
      const old = rulesets.find(({ rules }) => rules?.length === 1);
      await world.client.rulesets.update(old?.id ?? '', { outcome: 'REFUND' });
    };
    await expect(run(plan)).rejects.toThrow(EstateApplyError);
    expect((await world.read()).rulesets.some(({ outcome }) => outcome === 'REFUND')).toBe(true);
  });
});

/** `FORESTALL_TEST_MERCHANTS` creates more of them. */
const MERCHANTS = Number(process.env['FORESTALL_TEST_MERCHANTS'] ?? 300);

it(
  'takes as long as its plan says, at the rate limit',
  async () => {
    const merchants = Array.from(
      { length: MERCHANTS },
      (_, index) => `  - { key: m${index}, name: M, type: GENERIC }`,
    );
    const text = `organisation: ${world.organisationId}\nmerchants:\n${merchants.join('\n')}\n`;
    const { estate } = readSources({ path: 'estate.yaml', text }, [], {});
    const plan = saved(await world.plan(estate), [world.organisationId]);
    let nowMs = 0;
    const clock = { ...systemClock, nowMs: () => nowMs };
    const wait = async (durationMs: number): Promise<void> => {
      nowMs += durationMs;
    };
    const client = world.clientWith(createMemoryBudget({ clock, wait, random: () => 0 }));
    const journal = memoryJournal();
    await applyPlan(plan, { client, journal, clock, wait });
    if (MERCHANTS > 300) {
      process.stderr.write(
        `${MERCHANTS} took ${nowMs} ms; forecast ${plan.forecast.durationMs} ms\n`,
      );
    }
    expect(Math.abs(nowMs - plan.forecast.durationMs)).toBeLessThan(plan.forecast.durationMs * 0.1);
    expect(plan.forecast.durationMs).toBeGreaterThan(120_000);
  },
  60_000 + 60 * MERCHANTS,
);
