/** Guarantee: every scenario file is a story that happens as it is told. */
import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createFixedClock } from '../../src/base/kernel/clock.ts';
import { createSandbox, readScenarioFile, runScenario } from '../../src/sandbox/index.ts';

const FOLDER = new URL('../../src/sandbox/scenarios/', import.meta.url).pathname;
const files = readdirSync(FOLDER).filter((name) => name.endsWith('.yaml'));

async function run(scenario: Awaited<ReturnType<typeof readScenarioFile>>) {
  const sandbox = await createSandbox({ clock: createFixedClock('2026-11-20T00:00:00Z') });
  try {
    return await runScenario(sandbox, scenario);
  } finally {
    await sandbox.close();
  }
}

test('there are scenario files', () => {
  expect(files.length).toBeGreaterThanOrEqual(5);
});

describe('stories', () => {
  test.each(files)('%s', async (file) => {
    const report = await run(await readScenarioFile(FOLDER + file));
    expect(report.steps.filter(({ problems }) => problems.length > 0)).toEqual([]);
    expect(report.ok).toBe(true);
  });
});

describe('what a story expects is really checked', () => {
  const step = (expectation: object): object => ({
    name: 'x',
    about: 'x',
    steps: [{ step: 'read', call: 'GET /v1/alerts/', expect: expectation }],
  });
  test.each([
    ['a wrong status', { status: 204 }, 'status 200 instead of 204'],
    ['a wrong value', { body: { count: 1 } }, 'body.count: 0 is not 1'],
    ['a missing entry', { body: { items: [{}] } }, 'body.items: 0 entries instead of 1'],
    ['a pattern that does not fit', { body: { count: '/^9/' } }, 'body.count: 0 does not match'],
  ])('%s', async (_title, expectation, problem) => {
    const report = await run(step(expectation) as Parameters<typeof runScenario>[1]);
    expect(report.ok).toBe(false);
    expect(report.steps[0]?.problems[0]).toContain(problem);
  });

  test('events that were not emitted', async () => {
    const scenario = {
      name: 'x',
      about: 'x',
      steps: [{ step: 'told', events: ['alert.created'] }],
    };
    const report = await run(scenario);
    expect(report.steps[0]?.problems).toEqual(['events: 0 entries instead of 1']);
  });
});
