/** The worker inside another program: started, or driven by hand, never both. */
import { ConfigError } from './base/kernel/errors.ts';
import type { Work } from './running/roles/work.ts';
import type { WorkRole } from './running/roles/workers.ts';

/** How a program has its organisations worked for. */
export interface EmbeddedWorker {
  start(): Promise<void>;
  runOnce(): Promise<number>;
  stop(): Promise<void>;
}

/** What it is made of. */
interface WorkerParts {
  readonly start: () => Promise<WorkRole>;
  /** The work of each organisation. */
  readonly byHand: () => Promise<readonly Work[]>;
}

export function createWorker(parts: WorkerParts): EmbeddedWorker {
  let role: Promise<WorkRole> | undefined;
  let byHand: readonly Work[] | undefined;
  return {
    async start(): Promise<void> {
      role ??= parts.start();
      try {
        await role;
      } catch (error) {
        role = undefined;
        throw error;
      }
    },
    async runOnce(): Promise<number> {
      if (role !== undefined) {
        throw new ConfigError(
          'The worker is started and runs by itself. Call either start or runOnce.',
        );
      }
      byHand ??= await parts.byHand();
      let done = 0;
      for (const { loops } of byHand) for (const loop of loops) done += await loop.runOnce();
      return done;
    },
    async stop(): Promise<void> {
      await (await role)?.stop();
      for (const work of byHand ?? []) work.abort();
      for (const work of byHand ?? []) await work.release();
    },
  };
}
