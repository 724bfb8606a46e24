/** The service: takes our PATCH, answers or not; and a GET that shows that an alert is final. */
import type { Offer } from '../move.ts';
import { isClosed, pagePaidTwice } from '../readings.ts';
import { oursFor } from '../rows.ts';
import { happensBehindLooks, patchArrives } from '../truth.ts';
import { isClaimed, release, rowsChanged } from '../workers.ts';
import type { Alert, CaseState, ServiceState, World } from '../world.ts';
import { alertAt, disputeOf, OVER } from '../world.ts';

const CASE_AFTER: Readonly<Partial<Record<ServiceState, CaseState>>> = {
  REFUNDED: 'DECLARED_REFUND',
  ACCEPTED: 'DECLARED_ACCEPT',
  INVALID: 'CLOSED_INVALID',
};

export function serviceMoves(world: World, offer: Offer): void {
  for (const alert of world.alerts) {
    if (alert.patch !== 'none') offerPatch(world, offer, alert);
    if (world.elsewhere > 0 && alert.service === 'ACTION_REQUIRED' && world.moment < OVER) {
      for (const service of ['REFUNDED', 'ACCEPTED'] as const) {
        offer(`alert ${alert.index + 1} is answered elsewhere: ${service}`, (next) => {
          const answered = alertAt(next, alert.index);
          answered.service = service;
          answered.elsewhere = true;
          next.elsewhere -= 1;
          happensBehindLooks(next, true);
        });
      }
    }
    const told = alert.service === 'REFUNDED' || alert.service === 'ACCEPTED';
    if (told && !isClosed(alert) && world.chargeKnown && !isClaimed(world, alert.index)) {
      offer(`GET says that alert ${alert.index + 1} is final`, (next) => {
        close(next, alertAt(next, alert.index));
      });
    }
  }
}

function close(world: World, alert: Alert): void {
  alert.case = caseAfter(world, alert);
  if (alert.service === 'INVALID') alert.withdrawnKnown = true;
  pagePaidTwice(world);
  rowsChanged(world);
}

function caseAfter(world: World, alert: Alert): CaseState {
  if (!alert.elsewhere) return CASE_AFTER[alert.service] ?? alert.case;
  const ours = oursFor(world, disputeOf(alert), 'live') > 0;
  return alert.service === 'ACCEPTED' && ours ? 'CONFLICT' : 'CLOSED_REMOTE';
}

function offerPatch(world: World, offer: Offer, { index }: Alert): void {
  const label = `PATCH of alert ${index + 1}`;
  const awaited = world.workers.findIndex(
    (it) => it.doing === 'awaits the service' && it.alert === index,
  );
  offer(`${label} recorded, answer lost`, (next) => patchArrives(next, alertAt(next, index)));
  if (awaited >= 0) {
    offer(`${label} recorded and answered`, (next) => {
      patchArrives(next, alertAt(next, index));
      const worker = next.workers[awaited];
      if (worker !== undefined) release(worker);
      close(next, alertAt(next, index));
    });
  }
  if (world.trouble > 0) {
    offer(`${label} lost`, (next) => {
      alertAt(next, index).patch = 'none';
      alertAt(next, index).patchExcused = false;
      next.trouble -= 1;
    });
  }
}
