/**
 * What a world must reach, so that "everything holds" is not said of a world in which nothing
 * happens. Each is a fact of one state.
 */
import { isWeak } from './rim.ts';
import { isOut } from './truth.ts';
import type { Alert, World } from './world.ts';

const answeredAs = (world: World, service: Alert['service']): boolean =>
  world.alerts.some((alert) => alert.service === service);

const WITNESSES = {
  'REFUND declared': (world) => answeredAs(world, 'REFUNDED'),
  'ACCEPT declared': (world) => answeredAs(world, 'ACCEPTED'),
  'all answered': (world) =>
    world.alerts.every(({ service }) => service === 'REFUNDED' || service === 'ACCEPTED'),
  'missed and paged': (world) => world.alerts.some(({ missedPaged }) => missedPaged),
  'shrunk and paged': (world) => world.alerts.some(({ shrinkPaged }) => shrinkPaged),
  'two refunds, two disputes': (world) =>
    new Set(world.movements.filter((it) => isOut(it.truth)).map(({ dispute }) => dispute)).size > 1,
  'two charges refunded': (world) =>
    new Set(world.movements.filter((it) => isOut(it.truth)).map(({ charge }) => charge)).size > 1,
  'one refund, two answers': (world) =>
    world.movements.filter((it) => isOut(it.truth)).length === 1 &&
    world.alerts.filter(({ service }) => service === 'REFUNDED').length > 1,
  'request in HUMAN': (world) => world.movements.some(({ state }) => state === 'HUMAN'),
  'NOT_SENT by the cap': (world) =>
    world.movements.some(({ state, cause }) => state === 'NOT_SENT' && cause === 'cap'),
  'paid twice and paged': ({ paidTwicePaged }) => paidTwicePaged,
  'RDR answers': (world) => answeredAs(world, 'REFUNDED') && world.rdr === 'REFUNDED',
  'RDR waits, found': ({ rdrRow, rdrFound }) => rdrRow === 'waiting' && rdrFound,
  released: ({ authorisation }) => authorisation === 'released',
  'refunded after the capture': ({ authorisation, movements, scenario }) =>
    scenario.authorisedOnly &&
    authorisation === 'captured' &&
    movements.some(({ kind, truth }) => kind === 'refund' && isOut(truth)),
  'withdrawn, its refund NOT_SENT or out': (world) =>
    answeredAs(world, 'INVALID') && world.movements.some(({ truth }) => isOut(truth)),
  'CONFLICT, paged': ({ alerts, paidTwicePaged }) =>
    paidTwicePaged && alerts.some((alert) => alert.case === 'CONFLICT'),
  'closed by somebody else': ({ alerts }) => alerts.some((it) => it.case === 'CLOSED_REMOTE'),
  'sent with a second person': (world) =>
    world.movements.some(({ state, agreed }) => state === 'SENT' && agreed > 0),
  'accepted by the exception': (world) =>
    world.alerts.some(({ service, told }) => service === 'ACCEPTED' && told > 0),
  'charged back, accepted': (world) =>
    answeredAs(world, 'ACCEPTED') && world.chargeback === 'settled',
  'breaker open': ({ breakerOpen }) => breakerOpen,
  'refunded after the breaker': ({ credentialsWrong, oursInRow, moment, movements }) =>
    !credentialsWrong && oursInRow === 0 && moment > 0 && movements.some((it) => isOut(it.truth)),
  'older money answers': (world) => answeredAs(world, 'REFUNDED') && world.olderNamed,
  'accepted by a sign': (world) =>
    world.alerts.some((it) => isWeak(world, it) && it.service === 'ACCEPTED'),
  'told of a candidate first': (world) =>
    world.alerts.some((it) => isWeak(world, it) && it.dispute === 0 && it.case === 'HUMAN'),
  'accepted, then the order came': ({ alerts, chargeKnown }) =>
    chargeKnown && alerts.some(({ service }) => service === 'ACCEPTED'),
  'said by two persons': ({ alerts }) => alerts.some(({ outside }) => outside > 0),
  'disputed, told': ({ disputedRead, disputeTold }) => disputedRead && disputeTold,
  'in doubt at another provider': ({ movements, provider }) =>
    movements.some((it) => it.state === 'HUMAN' && it.provider !== provider),
} as const satisfies Record<string, (world: World) => boolean>;

export type WitnessName = keyof typeof WITNESSES;

export function isReached(name: WitnessName, world: World): boolean {
  return WITNESSES[name](world);
}
