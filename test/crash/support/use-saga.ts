/** A saga's world and one worker for each test of the calling file, in a database of that file. */
import { beforeEach } from 'vitest';
import { setCrashHook } from '../../../src/base/kernel/crash-point.ts';
import { useTestDatabase } from '../../support/database.ts';
import type { SagaWorld, Worker } from './saga-world.ts';
import { createSagaWorld } from './saga-world.ts';

/** What a test of a saga has. */
export interface Saga {
  readonly world: SagaWorld;
  readonly worker: Worker;
}

/** They are there in hooks and tests; `start` is told of each new one. */
export function useSaga(start: (saga: Saga) => void): void {
  const database = useTestDatabase();
  beforeEach(() => {
    setCrashHook(undefined);
    const world = createSagaWorld(database.db);
    start({ world, worker: world.worker('w1') });
  });
}
