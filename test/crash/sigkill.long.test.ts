/** Guarantee: a worker process killed with SIGKILL at a named point loses nothing and repeats nothing. */
import { describe, expect, it } from 'vitest';
import { childEnv } from '../support/child-env.ts';
import { spawn } from '../support/child-process.ts';
import { useTestDatabase } from '../support/database.ts';
import type { ChildArguments } from './support/child-worker.ts';
import type { HttpFakes } from './support/http-fakes.ts';
import { serveFakes } from './support/http-fakes.ts';
import type { SagaWorld } from './support/saga-world.ts';
import { createSagaWorld } from './support/saga-world.ts';

const database = useTestDatabase();

const A = 'netalrt_a';
const CHILD = new URL('./support/child-worker.ts', import.meta.url).pathname;

/** Runs a child worker; resolves with how it ended. */
async function runChild(
  world: SagaWorld,
  fakes: HttpFakes,
  point: ChildArguments['point'],
): Promise<{ code: number | null; signal: string | null }> {
  const input: ChildArguments = {
    connectionString: database.connectionString,
    organisationId: world.organisationId,
    processorUrl: fakes.processorUrl,
    serviceUrl: fakes.serviceUrl,
    nowMs: world.clock.nowMs(),
    point,
  };
  const child = spawn(process.execPath, [CHILD, JSON.stringify(input)], {
    env: childEnv(),
    stdio: 'inherit',
  });
  return await new Promise((resolve) => {
    child.on('exit', (code, signal) => resolve({ code, signal }));
  });
}

describe('kill -9', () => {
  it.each([
    'refund.marked_sent',
    'refund.cleared',
    'refund.answered',
    'refund.settled',
    'declaration.marked_sent',
    'declaration.answered',
  ] as const)('at %s: one refund, one effective answer', async (point) => {
    const world = createSagaWorld(database.db);
    await world.open({ alertId: A });
    const fakes = await serveFakes(world);
    try {
      expect(await runChild(world, fakes, point)).toEqual({ code: null, signal: 'SIGKILL' });
      await world.pass([world.worker('w2')], 1);
    } finally {
      await fakes.close();
    }
    expect(world.processor.count('ch_1')).toBe(1);
    expect(world.service.effective(A)).toHaveLength(1);
    expect(await world.state(A)).toBe('DECLARED_REFUND');
  });

  it('control: the same child without a point finishes the alert by itself', async () => {
    const world = createSagaWorld(database.db);
    await world.open({ alertId: A });
    const fakes = await serveFakes(world);
    try {
      expect(await runChild(world, fakes, 'none')).toEqual({ code: 0, signal: null });
    } finally {
      await fakes.close();
    }
    expect(world.processor.count('ch_1')).toBe(1);
    expect(await world.state(A)).toBe('DECLARED_REFUND');
  });
});
