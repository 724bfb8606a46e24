/**
 * Guarantee: a worker that dies at any named point loses no refund and no answer, and repeats none.
 *
 * Every point x {refund, accept, already refunded} x {alone, among others} x {killed; threw and lost its
 * connections: `crash-matrix.long.test.ts`}. Among others means: beside a second worker, and beside a second
 * organisation whose alert and
 * charge have the same names, at another amount. The oracle is each processor's ledger and each service's log of PATCHes.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { setCrashHook } from '../../src/base/kernel/crash-point.ts';
import { planDeath, pointsSeen, runUntilDeath } from './support/crash.ts';
import { A, ALERT, expectTheBooks, MATRIX, SCENARIOS, useMatrix } from './support/matrix.ts';

const { database, create, dieAt } = useMatrix();

describe('a worker dies', () => {
  it.each(MATRIX.filter(({ manner }) => manner === 'kill'))('$scenario at $point, $place', dieAt);

  it.each(SCENARIOS.refund.points)(
    'at %s, and another organisation goes on with the same charge at the same processor',
    async (point) => {
      const world = create();
      const other = create(world);
      await world.open(ALERT);
      await other.open(ALERT);
      const death = planDeath(database, { point, manner: 'kill' });
      await runUntilDeath([world.worker('w1')], death);
      await other.settle([other.worker('w2')]);
      await world.pass([world.worker('w3'), other.worker('w2')], 1);
      await other.pass([other.worker('w2')], 1);
      // One refund, by whichever came first, under a key of its own; the other one finds it and says so.
      expect(world.processor.count('ch_1')).toBe(1);
      for (const { service, state } of [world, other]) {
        expect(service.effective(A).map((patch) => patch.action)).toEqual(['REFUND']);
        expect(await state(A)).toBe('DECLARED_REFUND');
      }
    },
  );

  it.each(SCENARIOS.refund.points)('at %s, and the reply was lost before that', async (point) => {
    const world = create();
    world.processor.faults.push('lost_after');
    world.service.actFaults.push('lost_after');
    await world.open(ALERT);
    const death = planDeath(database, { point, manner: 'kill' });
    await Promise.race([world.pass([world.worker('w1')], 1), death.reached]);
    expect(death.happened()).toBe(true);
    await world.pass([world.worker('w2'), world.worker('w3')], 2);
    await expectTheBooks(world, 'refund');
    expect(world.processor.calls.length).toBeLessThanOrEqual(2);
  });

  it('again and again, at every point in turn', async () => {
    const world = create();
    await world.open(ALERT);
    for (const point of SCENARIOS.refund.points) {
      const death = planDeath(database, { point, manner: 'kill' });
      await runUntilDeath([world.worker(`dies_at_${point}`)], death);
      world.clock.advanceMs(31_000);
    }
    setCrashHook(undefined);
    await world.pass([world.worker('last')], 3);
    await expectTheBooks(world, 'refund');
  });
});

describe('the points', () => {
  const ROOT = new URL('../../', import.meta.url);

  function sourcesUnder(folder: string): { entry: string; text: string }[] {
    const under = new URL(`${folder}/`, ROOT);
    return readdirSync(under, { recursive: true, encoding: 'utf8' })
      .filter((entry) => entry.endsWith('.ts'))
      .map((entry) => ({ entry, text: readFileSync(new URL(entry, under), 'utf8') }));
  }

  /** Every point that the files mark, each as often as it stands there. */
  const pointsOf = (files: readonly { text: string }[]): string[] =>
    files.flatMap(({ text }) =>
      [...text.matchAll(/\bcrashPoint\('([^']+)'\)/g)].map((at) => at[1]!),
    );

  const sources = sourcesUnder('src').filter(({ entry }) => entry !== 'base/kernel/crash-point.ts');

  it('are those of the table in the README, and none has two places', () => {
    const readme = readFileSync(new URL('README.md', import.meta.url), 'utf8');
    const table = [...readme.matchAll(/^\| `([a-z_.]+)` \| \S/gm)].map((row) => row[1]!);
    expect(table.length).toBeGreaterThan(0);
    expect(pointsOf(sources).sort()).toEqual(table.sort());
  });

  it('of refund and declare were all passed by this suite', () => {
    const saga = sources.filter(({ entry }) => /^alerts\/(refund|declare|cases)\//.test(entry));
    const deadly = Object.values(SCENARIOS).flatMap(({ points }) => points);
    expect(pointsOf(saga).sort()).toEqual([...new Set<string>(deadly)].sort());
    const seen: ReadonlySet<string> = pointsSeen;
    expect(pointsOf(saga).filter((name) => !seen.has(name))).toEqual([]);
  });

  it('of the other stages are each used by some test', () => {
    const text = sourcesUnder('test')
      .map((file) => file.text)
      .filter((source) => source.includes('setCrashHook'))
      .join('\n');
    expect(pointsOf(sources).filter((name) => !text.includes(`'${name}'`))).toEqual([]);
  });
});
