/**
 * States as short strings, a byte for each field or two: what the search keeps of the millions it has
 * seen. Absent alerts, unused movements and idle workers are one byte.
 */

import {
  orderParts,
  position,
  putByte,
  putFlags,
  putWord,
  startFlags,
  startReading,
  startWriting,
  takeByte,
  takeFlag,
  takeWord,
  textBetween,
} from './words.ts';
import type { Alert, Look, Money, Movement, Worker, World } from './world.ts';
import { IDLE, NO_MOVEMENT } from './world.ts';

export function encode(world: World): string {
  startWriting();
  putWorld(world);
  for (const alert of world.alerts) putAlert(alert);
  for (const movement of world.movements) putMovement(movement);
  const starts: number[] = [];
  for (const worker of world.workers) {
    starts.push(position());
    putWorker(worker);
  }
  // Workers are alike: two states that differ in who is who are one.
  const [first, second] = starts;
  if (first !== undefined && second !== undefined) orderParts(first, second);
  return textBetween(0, position());
}

/** The state again, in the world (scenario and rules) that it came from. */
export function decode(text: string, like: World): World {
  startReading(text);
  const world = takeWorld(like);
  world.alerts = like.alerts.map(takeAlert);
  world.movements = like.movements.map(takeMovement);
  world.workers = like.workers.map(takeWorker);
  return world;
}

function putWorld(world: World): void {
  putByte(world.moment * 16 + world.trouble);
  putByte(world.people * 16 + world.flips);
  putByte(world.withdrawals * 64 + world.elsewhere * 16 + world.oursInRow);
  const { unanswered, chargeKnown, foundNothing, capFull, credentialsWrong, breakerOpen } = world;
  putFlags(unanswered, chargeKnown, foundNothing, capFull, credentialsWrong, breakerOpen);
  putFlags(world.paidTwicePaged, world.breakerPaged, world.rdrFound, world.breakerStale);
  putWord(world.authorisation);
  putWord(world.authorisationRead);
  putWord(world.support);
  putWord(world.supportRead);
  putByte(world.supportDispute);
  putWord(world.rdr);
  putWord(world.rdrRead);
  putWord(world.rdrRow);
  putWord(world.chargeback);
  putWord(world.chargebackRead);
  putFlags(
    world.olderNamed,
    world.rdrSaid,
    world.provider === 1,
    world.disputed,
    world.disputedRead,
    world.disputeTold,
    world.capturedMore,
    world.capturedMoreRead,
  );
  putByte((world.shownSlot + 1) * 16 + world.shownAmount);
}

function takeWorld(like: World): World {
  const [times, acts, counts] = [takeByte(), takeByte(), takeByte()];
  startFlags(6);
  const [unanswered, chargeKnown, foundNothing] = [takeFlag(), takeFlag(), takeFlag()];
  const [capFull, credentialsWrong, breakerOpen] = [takeFlag(), takeFlag(), takeFlag()];
  startFlags(4);
  const [paidTwicePaged, breakerPaged] = [takeFlag(), takeFlag()];
  const [rdrFound, breakerStale] = [takeFlag(), takeFlag()];
  const world: World = {
    ...like,
    breach: '',
    moment: times >> 4,
    trouble: times & 15,
    people: acts >> 4,
    flips: acts & 15,
    withdrawals: counts >> 6,
    elsewhere: (counts >> 4) & 3,
    oursInRow: counts & 15,
    unanswered,
    chargeKnown,
    foundNothing,
    capFull,
    credentialsWrong,
    breakerOpen,
    paidTwicePaged,
    breakerPaged,
    rdrFound,
    breakerStale,
    authorisation: takeWord(),
    authorisationRead: takeWord(),
    support: takeWord(),
    supportRead: takeWord(),
    supportDispute: takeByte(),
    rdr: takeWord(),
    rdrRead: takeWord(),
    rdrRow: takeWord(),
    chargeback: takeWord(),
    chargebackRead: takeWord(),
  };
  return { ...world, ...takeRim() };
}

/** What stands after everything else of a world. */
function takeRim() {
  startFlags(8);
  const [olderNamed, rdrSaid, isSecond] = [takeFlag(), takeFlag(), takeFlag()];
  const [disputed, disputedRead, disputeTold] = [takeFlag(), takeFlag(), takeFlag()];
  const [capturedMore, capturedMoreRead] = [takeFlag(), takeFlag()];
  const shown = takeByte();
  return {
    ...{ olderNamed, rdrSaid, disputed, disputedRead, disputeTold, capturedMore, capturedMoreRead },
    provider: isSecond ? 1 : 0,
    shownSlot: (shown >> 4) - 1,
    shownAmount: shown & 15,
  };
}

function putAlert(alert: Alert): void {
  putWord(alert.service);
  if (alert.service === 'absent') return;
  putWord(alert.patch);
  putWord(alert.case);
  putWord(alert.refusal);
  putByte(alert.dispute * 16 + alert.complaint);
  putByte(alert.charge * 16 + alert.wanted);
  putByte(alert.told * 16 + alert.outside);
  putFlags(
    alert.patchExcused,
    alert.refused,
    alert.secondAgreed,
    alert.shrinkPaged,
    alert.missedPaged,
    alert.withdrawnKnown,
    alert.elsewhere,
  );
  putFlags(
    alert.wordSaid,
    alert.byPerson,
    alert.corrected,
    alert.correctedRead,
    alert.orphan,
    alert.saidAmiss > 0,
  );
  if (alert.saidAmiss > 0) putByte(alert.saidAmiss);
}

function takeAlert(like: Alert): Alert {
  const service = takeWord<Alert['service']>();
  // Absent alerts are alike, and the first state has them.
  if (service === 'absent') return { ...like, service };
  const [patch, state, refusal] = [
    takeWord<Alert['patch']>(),
    takeWord<Alert['case']>(),
    takeWord<Alert['refusal']>(),
  ];
  const [relation, place, sums] = [takeByte(), takeByte(), takeByte()];
  startFlags(7);
  const [patchExcused, refused, secondAgreed] = [takeFlag(), takeFlag(), takeFlag()];
  const [shrinkPaged, missedPaged] = [takeFlag(), takeFlag()];
  const [withdrawnKnown, elsewhere] = [takeFlag(), takeFlag()];
  startFlags(6);
  const [wordSaid, byPerson, corrected] = [takeFlag(), takeFlag(), takeFlag()];
  const [correctedRead, orphan, isAmiss] = [takeFlag(), takeFlag(), takeFlag()];
  return {
    ...{ wordSaid, byPerson, corrected, correctedRead, orphan },
    saidAmiss: isAmiss ? takeByte() : 0,
    index: like.index,
    service,
    patch,
    patchExcused,
    case: state,
    refusal,
    refused,
    dispute: relation >> 4,
    complaint: relation & 15,
    charge: place >> 4,
    wanted: place & 15,
    told: sums >> 4,
    secondAgreed,
    outside: sums & 15,
    shrinkPaged,
    missedPaged,
    withdrawnKnown,
    elsewhere,
  };
}

function putMovement(movement: Movement): void {
  putWord(movement.state);
  if (movement.state === 'none') return;
  putWord(movement.kind);
  putByte(movement.charge * 16 + movement.amount);
  putByte(movement.dispute * 16 + movement.complaint);
  putByte(movement.requests * 16 + movement.agreed);
  putWord(movement.cause);
  putWord(movement.approval);
  putWord(movement.truth);
  const { otherCurrency, again, outlived, excused, provider } = movement;
  putFlags(otherCurrency, again, outlived, excused, provider === 1);
}

function takeMovement(): Movement {
  const state = takeWord<Movement['state']>();
  if (state === 'none') return { ...NO_MOVEMENT };
  const kind = takeWord<Movement['kind']>();
  const [place, relation, wire] = [takeByte(), takeByte(), takeByte()];
  const cause = takeWord<Movement['cause']>();
  const approval = takeWord<Movement['approval']>();
  const truth = takeWord<Movement['truth']>();
  startFlags(5);
  const [otherCurrency, again, outlived, excused, isSecond] = [
    takeFlag(),
    takeFlag(),
    takeFlag(),
    takeFlag(),
    takeFlag(),
  ];
  return {
    state,
    kind,
    charge: place >> 4,
    dispute: relation >> 4,
    complaint: relation & 15,
    amount: place & 15,
    otherCurrency,
    again,
    cause,
    approval,
    agreed: wire & 15,
    outlived,
    requests: wire >> 4,
    provider: isSecond ? 1 : 0,
    truth,
    excused,
  };
}

function putWorker(worker: Worker): void {
  putWord(worker.doing);
  if (worker.doing === 'nothing') return;
  putByte(worker.alert * 16 + worker.movement + 1);
  putWord(worker.answer);
  putByte(worker.amountBefore);
  const { saw } = worker;
  putFlags(worker.leaseOver, worker.excused, saw !== undefined);
  if (saw === undefined) return;
  for (const money of saw.ours) putWord(money);
  putWord(saw.support);
  putWord(saw.rdr);
  putWord(saw.chargeback);
  putWord(saw.authorisation);
  putFlags(saw.disputed, saw.capturedMore);
}

function takeWorker(): Worker {
  const doing = takeWord<Worker['doing']>();
  if (doing === 'nothing') return { ...IDLE };
  const holds = takeByte();
  const answer = takeWord<Worker['answer']>();
  const amountBefore = takeByte();
  startFlags(3);
  const [leaseOver, excused, looked] = [takeFlag(), takeFlag(), takeFlag()];
  return {
    doing,
    alert: holds >> 4,
    movement: (holds & 15) - 1,
    saw: looked ? takeLook() : undefined,
    answer,
    amountBefore,
    leaseOver,
    excused,
  };
}

function takeLook(): Look {
  const ours: Money[] = [takeWord(), takeWord(), takeWord()];
  const [support, rdr] = [takeWord<Look['support']>(), takeWord<Look['rdr']>()];
  const [chargeback, authorisation] = [
    takeWord<Look['chargeback']>(),
    takeWord<Look['authorisation']>(),
  ];
  startFlags(2);
  const [disputed, capturedMore] = [takeFlag(), takeFlag()];
  return { ours, support, rdr, chargeback, authorisation, disputed, capturedMore };
}
