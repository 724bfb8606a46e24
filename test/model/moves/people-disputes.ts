/** People say which alerts are one dispute, and which charge an alert is about. */
import { isChangeable } from '../readings.ts';
import { isWeak } from '../rim.ts';
import { isLive } from '../rows.ts';
import type { Alert, World } from '../world.ts';
import { alertAt } from '../world.ts';
import type { Act } from './people.ts';

export function disputeActs(world: World, act: Act): void {
  for (const alert of world.alerts.slice(1)) {
    if (alert.case === 'none' || alert.case === 'CLOSED_INVALID') continue;
    // No alert of the charge, before a person has named it.
    if (isWeak(world, alert) && alert.dispute === 0) continue;
    joinActs(world, act, alert);
  }
  if (world.scenario.captured.length > 1) {
    for (const alert of world.alerts) pointAct(world, act, alert);
  }
}

function joinActs(world: World, act: Act, alert: Alert): void {
  const { index, dispute, complaint } = alert;
  const undecided = dispute === 0 && !isAnswered(alert);
  const free = undecided || !world.rules.joinGuard || !restsOnDisputes(world);
  if (!free) return;
  const isOne = world.scenario.complaints === 'people';
  const own = index + 1;
  if (dispute !== 1 && (isOne || complaint === 1)) {
    act(`joins alert ${index + 1} to the first`, (next) => decideDispute(next, index, 1));
  }
  if (dispute !== own && (isOne || complaint === own)) {
    act(`separates alert ${index + 1}`, (next) => decideDispute(next, index, own));
  }
}

/** Money or an answer rests on how the alerts were joined. */
function restsOnDisputes(world: World): boolean {
  if (world.movements.some(isLive)) return true;
  if (world.supportRead === 'pending' || world.supportRead === 'settled') return true;
  return world.alerts.some((it) => it.outside > 0 || isAnswered(it));
}

function isAnswered({ case: state }: Alert): boolean {
  return state !== 'none' && state.startsWith('DECLARE');
}

function decideDispute(world: World, index: number, dispute: number): void {
  const alert = alertAt(world, index);
  alert.dispute = dispute;
  alert.complaint = dispute;
  for (const movement of world.movements) if (!isLive(movement)) movement.again = false;
  for (const it of world.alerts) {
    if (it.case === 'DECIDED_REFUND' || !isChangeable(it)) continue;
    it.refused = false;
    if (!world.rules.joinRedecides) continue;
    it.case = 'DECIDED_REFUND';
    it.refusal = 'none';
    it.told = 0;
  }
}

/** The alert is about another capture, and is decided anew there. */
function pointAct(world: World, act: Act, alert: Alert): void {
  if (alert.case === 'none') return;
  const { index } = alert;
  const rests =
    world.movements.some((it) => it.dispute === alert.dispute && isLive(it)) ||
    alert.outside > 0 ||
    isAnswered(alert);
  const other = alert.charge === 0 ? 1 : 0;
  if ((rests || alert.dispute !== index + 1) && world.rules.pointGuard) return;
  if (!isChangeable(alert)) return;
  act(`points alert ${index + 1} at charge ${other + 1}`, (next) => {
    const pointed = alertAt(next, index);
    pointed.charge = other;
    pointed.case = 'DECIDED_REFUND';
    pointed.refusal = 'none';
    pointed.refused = false;
    for (const movement of next.movements) if (!isLive(movement)) movement.again = false;
  });
}
