/** Whether everything works: workers, polling, webhooks, request budgets, the order feed, messages. */

import type { ReceiveFigures } from '../../../books/insights/metrics.ts';
import type { Operations, PoolUse } from '../../../books/insights/operations.store.ts';
import type { Html } from '../view/html.ts';
import { html } from '../view/html.ts';
import { ago, duration, momentOr } from '../view/time.ts';

/** A worker reports itself every few seconds; one silent for longer than this is gone. */
const WORKER_SILENT_SECONDS = 90;

/** Polling runs every two minutes; longer than this it has stopped. */
const POLL_LATE_MS = 10 * 60_000;

/** What must not go on unnoticed. */
export function healthBanners(operations: Operations, now: Date): Html {
  return html`${workerBanner(operations)}${pollBanner(operations, now)}${messageBanner(operations)}`;
}

function workerBanner({ workers }: Operations): Html | false {
  if (workers.some((worker) => worker.ageSeconds <= WORKER_SILENT_SECONDS)) return false;
  const ages = workers.map((worker) => worker.ageSeconds);
  const since =
    ages.length === 0
      ? 'No worker has reported itself'
      : `No worker has reported itself for ${duration(Math.min(...ages) * 1_000)}`;
  return html`<p class="banner error" role="alert">${since}: nothing is being decided or declared. Start one with <code>forestall work</code>.</p>`;
}

function pollBanner({ lastPollAt }: Operations, now: Date): Html | false {
  if (lastPollAt === null) {
    return html`<p class="banner">The service has not been polled yet: this list holds only what webhooks brought.</p>`;
  }
  const lateMs = now.getTime() - lastPollAt.getTime();
  if (lateMs < POLL_LATE_MS) return false;
  return html`<p class="banner" role="alert">Polling last read the whole list ${duration(lateMs)} ago: what webhooks missed since then is not here.</p>`;
}

function messageBanner({ notifications: { givenUp } }: Operations): Html | false {
  if (givenUp === 0) return false;
  return html`<p class="banner" role="alert">${givenUp} ${givenUp === 1 ? 'message' : 'messages'} to people never arrived. <a href="/system">See which</a>, and check where notifications go.</p>`;
}

interface Health {
  readonly operations: Operations;
  /** Where no receiver runs in this process its counts are not known. */
  readonly received: ReceiveFigures | undefined;
  readonly backlog: Readonly<Record<string, number>> | undefined;
  readonly now: Date;
}

/** The cards. */
export function healthCards({ operations, received, backlog, now }: Health): Html {
  return html`<div class="columns">
<section class="card" aria-label="Webhooks"><h3>Webhooks</h3><dl class="facts">
<dt>Last event</dt><dd>${momentOr(operations.lastWebhookAt, 'none yet')} <span class="quiet">${operations.lastWebhookAt !== null && ago(operations.lastWebhookAt, now)}</span></dd>
<dt>Not applied yet</dt><dd>${operations.inboxWaiting}${operations.inboxWaiting > 0 && html`, the oldest for ${duration(operations.inboxLagSeconds * 1_000)}`}</dd>
<dt>In quarantine</dt><dd>${operations.quarantineOpen === 0 ? '0' : html`<a href="/events?state=quarantined">${operations.quarantineOpen}</a>`}</dd>
${received !== undefined && receiveFacts(received)}
<dt>Last full poll</dt><dd>${ago(operations.lastPollAt, now)}</dd></dl></section>
<section class="card" aria-label="Request budget"><h3>Request budget, last minute</h3>${budget(operations.pools)}</section>
<section class="card" aria-label="Order feed"><h3>Order feed</h3>${backlogFacts(backlog)}<p><a href="/orders">Orders and their readiness</a></p></section>
</div>`;
}

function receiveFacts({ stored, duplicate, refused }: ReceiveFigures): Html {
  const reasons = Object.entries(refused).filter(([, count]) => count > 0);
  return html`<dt>Since this process started</dt><dd>${stored} stored, ${duplicate} ${duplicate === 1 ? 'duplicate' : 'duplicates'}, ${reasons.reduce((sum, [, count]) => sum + count, 0)} refused${
    reasons.length > 0 &&
    html` <span class="quiet">(${reasons.map(([reason, count]) => `${reason.replaceAll('_', ' ')} ${count}`).join(', ')})</span>`
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
