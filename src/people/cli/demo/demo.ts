/** Plays the demonstration: one story every few seconds, over and over, until it is stopped. */
import { setTimeout as wait } from 'node:timers/promises';
import { messageOf } from '../../../base/kernel/errors.ts';
import type { Log } from '../../../base/kernel/log.ts';
import type { Sale } from '../../../sandbox/demo-shop.ts';
import { makeSale } from '../../../sandbox/demo-shop.ts';
import type { Sandbox } from '../../../sandbox/index.ts';
import { createServiceClient } from '../../../service/client/index.ts';
import type { Stage } from './stories.ts';
import { STORIES } from './stories.ts';

export interface DemoOptions {
  readonly sandbox: Sandbox;
  readonly log: Log;
  /** Hands an order to Forestall, as the merchant's own system would. */
  readonly recordOrder: (order: Record<string, unknown>) => Promise<void>;
  /** Told before each story. */
  readonly onStory: (title: string) => void;
  /** Between two stories, in milliseconds. @default 6000 for two rounds, then two minutes: more in an hour would open the breaker */
  readonly paceMs?: number;
}

/** How long it waits between stories: first so that one sees something, then as an ordinary day. In milliseconds. */
const LIVELY_MS = 6_000;
const CALM_MS = 120_000;
const LIVELY_ROUNDS = 2;

function paceOf(round: number): number {
  return round < LIVELY_ROUNDS ? LIVELY_MS : CALM_MS;
}

/** Starts playing. Returns the function that stops it. */
export function startDemo(options: DemoOptions): () => Promise<void> {
  const { sandbox, log, recordOrder, onStory } = options;
  const stop = new AbortController();
  const stage: Stage = {
    sandbox,
    partner: createServiceClient({
      baseUrl: sandbox.url,
      partnerApiKey: sandbox.accounts.partnerKey,
    }),
    async sell(product, twinOf): Promise<Sale> {
      const unlike = sandbox.state.charges.values();
      const sale = makeSale({ product, twinOf, unlike }, sandbox.clock.nowMs());
      sandbox.createCharge(sale.charge);
      await recordOrder(sale.order);
      return sale;
    },
  };
  const play = async (): Promise<void> => {
    for (let round = 0; !stop.signal.aborted; round++) {
      const paceMs = options.paceMs ?? paceOf(round);
      for (const story of STORIES) {
        if (stop.signal.aborted) return;
        onStory(story.title);
        try {
          await story.play(stage);
        } catch (error) {
          log.warn({ err: error, story: story.title }, `story failed: ${messageOf(error)}`);
        }
        await wait(paceMs, undefined, { signal: stop.signal }).catch(() => undefined);
      }
    }
  };
  const finished = play();
  return async () => {
    stop.abort();
    await finished;
  };
}
