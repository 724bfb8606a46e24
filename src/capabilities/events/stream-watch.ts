/** Lets readers wait for the end of the stream to move: one look for all of them, and no connection held meanwhile. */

import type { Db } from '../../base/db/database.ts';
import { messageOf } from '../../base/kernel/errors.ts';
import type { Log } from '../../base/kernel/log.ts';
import { readEnd } from './event.store.ts';

/** Milliseconds between two looks while somebody waits. */
const LOOK_MS = 250;

/** Readers of one organisation that wait in one process at once; the others are answered at once. */
const WAITING_MAX = 200;

export interface StreamWatch {
  /** Resolves when the stream has gone beyond the position, when the time is over, or when the wait is given up. */
  beyond(
    position: number,
    until: { readonly waitMs: number; readonly signal: AbortSignal },
  ): Promise<void>;
}

interface Waiting {
  readonly position: number;
  readonly end: () => void;
}

export function createStreamWatch({
  db,
  log,
  organisationId,
}: {
  readonly db: Db;
  /** @default a look that fails is not told */
  readonly log?: Log;
  readonly organisationId: string;
}): StreamWatch {
  const waiting = new Set<Waiting>();
  let isLooking = false;

  const look = async (): Promise<void> => {
    try {
      const end = await readEnd(db, organisationId);
      for (const each of waiting) if (each.position < end) each.end();
    } catch (error) {
      // They read for themselves when their time is over, and are told what is wrong.
      log?.debug({ reason: messageOf(error) }, 'the end of the stream of events was not read');
    }
    lookAgain();
  };
  const lookAgain = (): void => {
    isLooking = waiting.size > 0;
    if (isLooking) setTimeout(() => void look(), LOOK_MS).unref();
  };

  return {
    async beyond(position, { waitMs, signal }): Promise<void> {
      if (waitMs <= 0 || signal.aborted || waiting.size >= WAITING_MAX) return;
      await new Promise<void>((done) => {
        const end = (): void => {
          clearTimeout(timer);
          signal.removeEventListener('abort', end);
          waiting.delete(entry);
          done();
        };
        const timer = setTimeout(end, waitMs);
        const entry: Waiting = { position, end };
        signal.addEventListener('abort', end, { once: true });
        waiting.add(entry);
        if (!isLooking) lookAgain();
      });
    },
  };
}
