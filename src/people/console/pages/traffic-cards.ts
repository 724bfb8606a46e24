/** The figures of what comes in and goes out: webhooks, request budgets, the order feed. */
import type { ReceiveCounts } from '../../../alerts/receive/counters.ts';
import type { Html } from '../../../base/kernel/html.ts';
import { html } from '../../../base/kernel/html.ts';
import { saidCount } from '../../../base/kernel/said-count.ts';
import type { PoolUse } from '../../../health/label-figures.store.ts';
import type { Operations } from '../../../health/operations.store.ts';
import { ago, duration, momentOr } from '../../../surface/view/time.ts';

interface Traffic {
  readonly operations: Operations;
  /** Deliveries of the last day that were refused. */
  readonly refused: number;
  /** Where no receiver runs in this process its counts are not known. */
  readonly received: ReceiveCounts | undefined;
  readonly backlog: Readonly<Record<string, number>> | undefined;
  readonly now: Date;
}

export function trafficCards({ operations, refused, received, backlog, now }: Traffic): Html {
  return html`<div class="columns">
<section class="card" aria-label="Webhooks"><h3>Webhooks</h3><dl class="facts">
<dt>Last event</dt><dd>${momentOr(operations.lastWebhookAt, 'none yet')} <span class="quiet">${operations.lastWebhookAt !== null && ago(operations.lastWebhookAt, now)}</span></dd>
<dt>Not applied yet</dt><dd>${operations.inboxWaiting}${operations.inboxWaiting > 0 && html`, the oldest for ${duration(operations.inboxLagSeconds * 1_000)}`}</dd>
<dt>In quarantine</dt><dd>${operations.quarantineOpen === 0 ? '0' : html`<a href="/events?state=quarantined">${operations.quarantineOpen}</a>`}</dd>
<dt>Refused in 24 hours</dt><dd>${refused === 0 ? '0' : html`<a href="/events?state=refused">${refused} refused</a>`}</dd>
${received !== undefined && receiveFacts(received)}
<dt>Last full poll</dt><dd>${ago(operations.lastPollAt, now)}</dd></dl></section>
<section class="card" aria-label="Request budget"><h3>Request budget, last minute</h3>${budget(operations.pools)}</section>
<section class="card" aria-label="Order feed"><h3>Order feed</h3>${backlogFacts(backlog)}<p><a href="/orders">Orders and their readiness</a></p></section>
</div>`;
}

function receiveFacts({ stored, duplicate, refused }: ReceiveCounts): Html {
  const reasons = Object.entries(refused).filter(([, count]) => count > 0);
  return html`<dt>Since this process started</dt><dd>${stored} stored, ${duplicate} ${duplicate === 1 ? 'duplicate' : 'duplicates'}, ${reasons.reduce((sum, [, count]) => sum + count, 0)} refused${
    reasons.length > 0 &&
    html` <span class="quiet">(${reasons.map(([reason, count]) => `${reason.replaceAll('_', ' ')} ${saidCount(count)}`).join(', ')})</span>`
  }</dd>`;
}

function budget(pools: readonly PoolUse[]): Html {
  if (pools.length === 0) return html`<p class="quiet">No request to the service yet.</p>`;
  return html`<dl class="facts">${pools.map(
    ({ pool, used, limit, pausedSeconds }) =>
      html`<dt>${pool}</dt><dd>${used} of ${limit}${pausedSeconds > 0 && html`, paused for ${pausedSeconds} s`}<meter class="meter" min="0" max="${limit}" value="${used}" aria-label="Requests to ${pool}"></meter></dd>`,
  )}</dl>`;
}

function backlogFacts(backlog: Readonly<Record<string, number>> | undefined): Html {
  const entries = Object.entries(backlog ?? {}).filter(([, count]) => count > 0);
  if (entries.length === 0) return html`<p class="quiet">Nothing waits to be sent.</p>`;
  return html`<dl class="facts">${entries.map(
    ([queue, count]) => html`<dt>${queue.replaceAll('_', ' ')}</dt><dd>${count}</dd>`,
  )}</dl>`;
}
