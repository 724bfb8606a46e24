/**
 * A merchant who changes the payment provider while requests are in doubt. Both providers know every charge by the same
 * reference, as after an import, and what support refunded. Of our requests each shows, and tells apart by their keys, only
 * those that were sent to itself: whatever was in doubt at the first is as if it had never been asked at the other one.
 */
import type { Sandbox } from '../../src/sandbox/index.ts';
import type { KeyUse } from '../../src/sandbox/state/charges.ts';
import type { LoopbackAnswer, LoopbackRequest } from './loopback.ts';
import { withoutRefunds } from './shown-refunds.ts';

const ANOTHER_HOST = 'another-provider.example';

type Provider = 'first' | 'another';

/** The address of the other provider of the same merchant. */
export function anotherProviderUrl(processorUrl: string): string {
  const url = new URL(processorUrl);
  url.hostname = ANOTHER_HOST;
  return url.href;
}

/** The origin under which the merchant's sandbox is known, whichever provider is asked. */
export function homeOrigin(origin: string): string {
  const url = new URL(origin);
  if (url.hostname === ANOTHER_HOST) url.hostname = '127.0.0.1';
  return url.origin;
}

/** Keeps apart what was sent to which of the two. */
export interface Providers {
  readonly execute: (
    asked: LoopbackRequest,
    run: () => Promise<LoopbackAnswer>,
  ) => Promise<LoopbackAnswer>;
}

/** Of one merchant. */
export function createProviders({ state }: Sandbox): Providers {
  const madeAt = new Map<string, Provider>();
  const usesAt = { first: new Map<string, KeyUse>(), another: new Map<string, KeyUse>() };
  return {
    async execute(asked, run): Promise<LoopbackAnswer> {
      if (!asked.path.startsWith('/processor/')) return await run();
      const provider = new URL(asked.origin).hostname === ANOTHER_HOST ? 'another' : 'first';
      const key = asked.headers['idempotency-key'];
      const own = key === undefined ? undefined : usesAt[provider].get(key);
      if (key !== undefined) {
        if (own === undefined) state.keyUses.delete(key);
        else state.keyUses.set(key, own);
      }
      const answer = await run();
      const use = key === undefined ? undefined : state.keyUses.get(key);
      if (use !== undefined) usesAt[provider].set(use.key, use);
      if (asked.method !== 'GET') {
        noteRefund(madeAt, provider, answer);
        return answer;
      }
      return withoutRefunds(
        answer,
        ({ reference }) => (madeAt.get(reference) ?? provider) !== provider,
      );
    },
  };
}

function noteRefund(
  madeAt: Map<string, Provider>,
  provider: Provider,
  { body }: LoopbackAnswer,
): void {
  const refund = JSON.parse(body.toString()) as { readonly reference?: string };
  if (refund.reference !== undefined && !madeAt.has(refund.reference)) {
    madeAt.set(refund.reference, provider);
  }
}
