/**
 * Guarantee: of 1,000 packs over random rows no sentence is untrue. The judge below reads each sentence back and looks in
 * the rows for what makes it true; it shares nothing with the code that wrote it, and knows every sentence there is.
 */
import { beforeAll, expect, it } from 'vitest';
import type { Pack } from '../../../src/capabilities/representments/pack.ts';
import { openPackRules } from '../../../src/capabilities/representments/pack-rules.ts';
import { readPacks } from '../../../src/capabilities/representments/read-pack.ts';
import { EVIDENCE_ELEMENTS } from '../../../src/service/wire/processor-dispute.ts';
import { ORG } from '../../integration/reconcile/rows.ts';
import { useTestDatabase } from '../../support/database.ts';
import type { World, WorldCase, WorldPayment } from './random-world.ts';
import { insertWorld, makeWorld } from './random-world.ts';

const COUNT = 1_000;
const SEED = 36;

/** One pack that asks for everything. */
const SHIPPED = openPackRules();
const ALL = { ...SHIPPED.other, required: [...EVIDENCE_ELEMENTS], helpful: [] };
const RULES = { ...SHIPPED, packs: [ALL], other: ALL };

const test = useTestDatabase();
let world: World;
let packs: readonly Pack[];

beforeAll(async () => {
  world = makeWorld(SEED, COUNT);
  await insertWorld(test.db, world);
  const wanted = world.cases.map(({ id }) => id);
  const rows = await test.db
    .selectFrom('representment')
    .selectAll()
    .where('id', 'in', wanted)
    .execute();
  const read: Pack[] = [];
  for (let start = 0; start < rows.length; start += 50) {
    const representments = rows.slice(start, start + 50);
    read.push(...(await readPacks(test.db, { organisationId: ORG, representments, rules: RULES })));
  }
  packs = read;
}, 240_000);

// biome-ignore lint/suspicious/noExplicitAny: rows as the generator wrote them
type Fields = Record<string, any>;

const bodyOf = ({ order }: WorldPayment): Fields => JSON.parse(String(order['body']));
const cents = (text: string): number => Math.round(Number(text) * 100);
const charge = ({ charge: row }: WorldPayment): Fields => row;
const isPast = (text: string | null | undefined): boolean =>
  typeof text === 'string' && new Date(text).getTime() < Date.now();
const isErased = (text: unknown): boolean => text === '[erased]';

const ORDER_VOICES: Readonly<Record<string, string>> = {
  SETTLED: 'took',
  captured: 'took',
  REFUNDED: 'took',
  DECLINED: 'declined',
  FAILED_3DS: 'declined',
  VOIDED: 'released',
  EXPIRED: 'released',
  AUTHORISED: 'open',
};
const PROCESSOR_VOICES: Readonly<Record<string, string>> = {
  captured: 'took',
  declined: 'declined',
  voided: 'released',
  authorised: 'open',
};
const VOID_VOICES: Readonly<Record<string, string>> = { CONFIRMED: 'released', PENDING: 'doubt' };

/** What each row that says anything says of a payment. */
function voicesOf(payment: WorldPayment): Set<string> {
  const { account, movements } = payment;
  const voids = (movements as Fields[]).filter(({ kind }) => kind === 'void');
  return new Set(
    [
      ORDER_VOICES[bodyOf(payment)['transactions'][0].authorisation_status],
      isPast(charge(payment)['settled_at']) ? 'took' : undefined,
      PROCESSOR_VOICES[String(account?.['status'])],
      ...voids.map(({ state }) => VOID_VOICES[state]),
    ].filter((voice) => voice !== undefined),
  );
}

/** Whether this is what all rows say, an earlier authorisation aside. */
function says(payment: WorldPayment, wanted: string): boolean {
  const voices = voicesOf(payment);
  voices.delete('open');
  return voices.size === 1 && voices.has(wanted);
}

function isSilent(payment: WorldPayment): boolean {
  return voicesOf(payment).size === 0;
}

/** The sum it took, where rows agree in one. */
function tookCents(payment: WorldPayment): number | undefined {
  const { account } = payment;
  if (account?.['status'] !== 'captured') return charge(payment)['amount_minor'];
  return account['currency'] === 'USD' ? Number(account['amount_minor']) : undefined;
}

const isMoney = ({ kind }: Fields): boolean => kind !== 'void';

/** Whether nothing was ever heard of it, and nothing of it went back or may go back. */
function isUntroubled(payment: WorldPayment): boolean {
  const { account, complaints, movements } = payment;
  const body = bodyOf(payment);
  if (complaints.length > 0 || body['disputes'] !== undefined) return false;
  if (account?.['disputed'] === true || (account?.['fraud_warned_at'] ?? null) !== null)
    return false;
  if (body['transactions'][0].authorisation_status === 'REFUNDED') return false;
  if ((body['refunds'] ?? []).some((each: Fields) => each['status'] !== 'FAILED')) return false;
  return !(movements as Fields[]).some(
    (row) =>
      row['kind'] === 'chargeback' ||
      (isMoney(row) && !['REJECTED', 'NOT_SENT', 'REVERSED'].includes(row['state'])),
  );
}

/** One account is one customer; without an account on one side, one address is. */
function isSamePerson(one: WorldPayment, other: WorldPayment): boolean {
  const [a, b] = [bodyOf(one), bodyOf(other)];
  const textOf = (body: Fields, name: string): string =>
    isErased(body[name]) ? '' : (body[name] ?? '');
  const accounts = [textOf(a, 'customer_account_id'), textOf(b, 'customer_account_id')];
  if (accounts[0] !== '' && accounts[1] !== '') return accounts[0] === accounts[1];
  const mails = [
    textOf(a, 'customer_email').toLowerCase(),
    textOf(b, 'customer_email').toLowerCase(),
  ];
  return mails[0] !== '' && mails[0] === mails[1];
}

/** What a moment of a row reads like: a day where no time of day is known. */
function reads(moment: string): string {
  if (moment.length === 10) return moment;
  return `${new Date(moment).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

function readsIndexed(moment: string): string {
  return moment.includes('T00:00:00') ? moment.slice(0, 10) : reads(moment);
}

interface Scene {
  readonly case: WorldCase;
  readonly body: Fields;
}

type Judge = (said: Record<string, string>, scene: Scene) => boolean;

function judgeEarlier(
  { sum = '', at = '', ref = '' }: Record<string, string>,
  scene: Scene,
): WorldPayment | undefined {
  const { disputed, others } = scene.case;
  const other = others.find((each) => charge(each)['reference'] === ref);
  if (other === undefined || !isSamePerson(disputed, other) || !isUntroubled(other))
    return undefined;
  const when: string = charge(other)['authorised_at'];
  if (Date.parse(when) >= Date.parse(charge(disputed)['authorised_at'])) return undefined;
  return readsIndexed(when) === at && cents(sum) > 0 ? other : undefined;
}

/** Every sentence there is, with what makes it true. */
const JUDGES: readonly (readonly [RegExp, Judge])[] = [
  [
    /^The cardholder disputed (?<sum>[\d.]+) USD( on (?<at>.+))? with reason code 13\.1\.$/,
    ({ sum = '', at }) =>
      cents(sum) === 4_990 && [undefined, '2026-03-10', '2026-03-10 06:30 UTC'].includes(at),
  ],
  [
    /^Payment (?<ref>\S+) took (?<sum>[\d.]+) USD( of (?<of>[\d.]+) USD)?( under acquirer reference number (?<arn>\w+))?\.$/,
    ({ ref, sum = '', of, arn }, { case: { disputed } }) =>
      charge(disputed)['reference'] === ref &&
      says(disputed, 'took') &&
      tookCents(disputed) === cents(sum) &&
      cents(sum) > 0 &&
      (of === undefined
        ? cents(sum) >= charge(disputed)['amount_minor']
        : cents(of) === charge(disputed)['amount_minor'] && cents(sum) < cents(of)) &&
      (arn ?? null) === charge(disputed)['acquirer_reference_number'],
  ],
  [
    /^Payment \S+ was captured( under acquirer reference number \w+)?\.$/,
    (_, { case: { disputed } }) => says(disputed, 'took'),
  ],
  [
    /^Payment \S+ of (?<sum>[\d.]+) USD is authorised; no capture of it is recorded\.$/,
    ({ sum = '' }, { case: { disputed } }) =>
      [...voicesOf(disputed)].join() === 'open' && cents(sum) === charge(disputed)['amount_minor'],
  ],
  [
    /^Payment \S+ of (?<sum>[\d.]+) USD was declined and took nothing\.$/,
    ({ sum = '' }, { case: { disputed } }) =>
      [...voicesOf(disputed)].join() === 'declined' &&
      cents(sum) === charge(disputed)['amount_minor'],
  ],
  [
    /^The authorisation of payment \S+ of (?<sum>[\d.]+) USD was released, and it took nothing\.$/,
    ({ sum = '' }, { case: { disputed } }) =>
      says(disputed, 'released') && cents(sum) === charge(disputed)['amount_minor'],
  ],
  [
    /^The records hold payment \S+ of (?<sum>[\d.]+) USD( under acquirer reference number \w+)?\.$/,
    ({ sum = '' }, { case: { disputed } }) =>
      isSilent(disputed) && cents(sum) === charge(disputed)['amount_minor'],
  ],
  [
    /^It was authorised on (?<at>.+) with authorisation code (?<code>\w+)\.$/,
    ({ at, code }, { case: { disputed } }) => {
      const voices = voicesOf(disputed);
      const isDenied = voices.has('declined') || (voices.has('took') && voices.has('released'));
      return (
        !isDenied &&
        readsIndexed(charge(disputed)['authorised_at']) === at &&
        charge(disputed)['authorisation_code'] === code
      );
    },
  ],
  [
    /^The payment passed (?<what>.+)\.$/,
    ({ what = '' }, { body }) => {
      const { three_d_secure_verified: secure, cvc_verified: code } = body['transactions'][0];
      return (
        what.includes('3-D Secure') === (secure === true) &&
        what.includes('card verification code') === (code === true)
      );
    },
  ],
  [
    /^Order (?<number>\S+) was placed on (?<at>.+?)( for (?<sum>[\d.]+) USD)?\.$/,
    ({ number, at, sum }, { body }) =>
      number === (body['order_number'] ?? body['reference_id']) &&
      at === reads(body['order_datetime']) &&
      (sum === undefined) === (body['order_total_amount_in_cents'] === undefined) &&
      (sum === undefined || cents(sum) === body['order_total_amount_in_cents']),
  ],
  [
    /^It was for ((?<count>\d+) × )?“Lamp”(, with a price of (?<price>[\d.]+) USD)?\.$/,
    ({ count, price }, { body }) => {
      const [item] = body['items'];
      return (
        (count === undefined ? item.quantity === undefined : Number(count) === item.quantity) &&
        item.quantity !== 0 &&
        (price === undefined
          ? item.price_in_cents === undefined
          : cents(price) === item.price_in_cents)
      );
    },
  ],
  [
    /^The customer ordered with (the e-mail address (?<mail>\S+))?( and )?(the customer account (?<account>\S+))?\.$/,
    ({ mail, account }, { body }) =>
      !isErased(mail) &&
      !isErased(account) &&
      (mail === undefined || mail === body['customer_email']) &&
      (account === undefined || account === body['customer_account_id']),
  ],
  [
    /^The order came from (IP address (?<ip>[^,\s]+))?(, )?(device (?<device>\S+))?\.$/,
    ({ ip, device }, { body }) =>
      !isErased(ip) &&
      (ip === undefined || ip === body['device_ip_address']) &&
      (device === undefined || device === body['device_id']),
  ],
  [
    /^The (?<kind>billing|delivery) address is 1 Main Street, US\.$/,
    ({ kind }, { body }) =>
      kind === 'billing'
        ? body['transactions'][0].billing_address?.country === 'US'
        : body['deliveries'].some(
            (each: Fields) => each['physical_shipping_address'] !== undefined,
          ),
  ],
  [
    /^(?<which>The parcel|One of 2 parcels) was delivered on (?<at>.+?)( by DHL)? under tracking number (?<track>\S+)\.$/,
    ({ which, at, track }, { body }) => {
      const parcel = body['deliveries'].find(
        (each: Fields) => each['physical_shipping_tracking_number'] === track,
      );
      const moment = parcel?.physical_shipping_datetime_delivered;
      return (
        isPast(moment) &&
        reads(moment) === at &&
        [undefined, 'DELIVERED'].includes(parcel.physical_shipping_status) &&
        (which === 'The parcel') === (body['deliveries'].length === 1)
      );
    },
  ],
  [
    /^(?<which>The parcel|One of 2 parcels) was delivered( by DHL)? under tracking number (?<track>[^;]+); the order does not say when\.$/,
    ({ which, track }, { body }) => {
      const parcel = body['deliveries'].find(
        (each: Fields) => each['physical_shipping_tracking_number'] === track,
      );
      return (
        parcel?.physical_shipping_status === 'DELIVERED' &&
        parcel.physical_shipping_datetime_delivered === undefined &&
        (which === 'The parcel') === (body['deliveries'].length === 1)
      );
    },
  ],
  [
    /^The digital goods show (?<what>downloaded at|ip address): (?<value>.+)\.$/,
    ({ what, value = '' }, { body }) => {
      const [goods] = body['deliveries'];
      if (goods.digital_status === 'FAILED') return false;
      if (what === 'ip address')
        return value === '203.0.113.9' && goods.digital_ip_address === value;
      return isPast(goods.digital_downloaded_at) && reads(goods.digital_downloaded_at) === value;
    },
  ],
  [
    /^The order’s proof of consent reads: (?<text>.+)\.$/,
    ({ text }, { body }) => {
      const consent = body['order_proof_of_consent'];
      if (typeof consent === 'string') return consent === text && text === 'ticked the terms';
      return consent?.accepted === true && consent.text === text;
    },
  ],
  [
    /^The order’s record of messages reads: merchant, Sorry to hear that\.$/,
    (_, { body }) => body['order_communications'][0].text === 'Sorry to hear that.',
  ],
  [
    /^The order is for subscription (?<ref>\S+?)(, every MONTH)?(, for 9\.00 USD each time)?\.$/,
    ({ ref }, { body }) => body['subscriptions']?.[0]?.reference_id === ref,
  ],
  [
    /^No cancellation of it is known\.$/,
    (_, { body, case: { disputed, others, isEnded } }) => {
      const ofSame = others.filter((each) => isSamePerson(disputed, each)).map(bodyOf);
      const all = [body, ...ofSame].flatMap((each) => each['subscriptions'] ?? []);
      return (
        !isEnded &&
        body['order_status'] !== 'CLOSED_CANCELLED' &&
        all.every(
          (each: Fields) =>
            each['cancellation_date'] === undefined &&
            [undefined, 'ACTIVE'].includes(each['status']),
        )
      );
    },
  ],
  [
    /^It was cancelled on 2026-02-25\.$/,
    (_, { body }) =>
      body['subscriptions'][0].cancellation_date === '2026-02-25' &&
      body['subscriptions'][0].status !== 'ACTIVE',
  ],
  [
    /^Its cancellation is recorded for 2999-01-01\.$/,
    (_, { body }) => body['subscriptions'][0].cancellation_date === '2999-01-01',
  ],
  [
    /^It is cancelled; the order does not say since when\.$/,
    (_, { body }) =>
      body['subscriptions'][0].status === 'CANCELLED' &&
      body['subscriptions'][0].cancellation_date === undefined,
  ],
  [
    /^(?<who>The merchant|The card network) refunded (?<sum>[\d.]+) (?<currency>\w+)(?<how> on |, confirmed on )(?<at>.+? UTC)( under reference (?<ref>\S+))?\.$/,
    ({ who, sum = '', currency, how, at, ref }, { case: { disputed } }) =>
      (disputed.movements as Fields[]).some(
        (row) =>
          row['state'] === 'CONFIRMED' &&
          (who === 'The merchant' ? ['refund', 'external'] : ['network']).includes(row['kind']) &&
          row['amount_minor'] === cents(sum) &&
          row['currency'] === currency &&
          (row['processor_reference'] ?? undefined) === ref &&
          (how === ' on '
            ? row['moved_at'] !== null && reads(row['moved_at']) === at
            : row['moved_at'] === null && reads(row['confirmed_at']) === at),
      ),
  ],
  [
    /^The order records a refund of (?<sum>[\d.]+) USD( on (?<at>.+?))? under reference (?<ref>\S+)\.$/,
    ({ sum = '', at, ref }, { body, case: { disputed } }) => {
      const refund = body['refunds'].find((each: Fields) => each['reference_id'] === ref);
      const payment = refund?.original_transaction_reference_id ?? charge(disputed)['reference'];
      const isToldTwice = (disputed.movements as Fields[]).some(
        (row) => isMoney(row) && row['amount_minor'] === cents(sum) && row['currency'] === 'USD',
      );
      return (
        refund?.status === 'SUCCEEDED' &&
        refund.amount_in_cents === cents(sum) &&
        payment === charge(disputed)['reference'] &&
        !isToldTwice &&
        (at === undefined
          ? refund.refund_datetime === undefined
          : reads(refund.refund_datetime) === at)
      );
    },
  ],
  [
    /^The same customer paid (?<sum>[\d.]+) USD on (?<at>.+) \(payment (?<ref>\S+)\), and nothing was disputed or refunded\.$/,
    (said, scene) => {
      const other = judgeEarlier(said, scene);
      if (other === undefined || !says(other, 'took')) return false;
      return (tookCents(other) || charge(other)['amount_minor']) === cents(said['sum'] ?? '');
    },
  ],
  [
    /^The records hold an earlier payment of the same customer of (?<sum>[\d.]+) USD on (?<at>.+) \(payment (?<ref>\S+)\), and nothing was disputed or refunded\.$/,
    (said, scene) => {
      const other = judgeEarlier(said, scene);
      return (
        other !== undefined &&
        isSilent(other) &&
        charge(other)['amount_minor'] === cents(said['sum'] ?? '')
      );
    },
  ],
  [
    /^Payment (?<ref>\S+) of (?<sum>[\d.]+) USD on (?<at>.+?) (?<verb>paid|is recorded for) order (?<order>\S+), and the disputed payment (?<own>\S+) (paid|is recorded for) order (?<mine>\S+)\.$/,
    ({ ref, sum = '', verb, order, own, mine }, { case: { disputed, others } }) => {
      const other = others.find((each) => charge(each)['reference'] === ref);
      if (other === undefined || !isSamePerson(disputed, other)) return false;
      const both = [disputed, other];
      const apart = Math.abs(
        Date.parse(charge(other)['authorised_at']) - Date.parse(charge(disputed)['authorised_at']),
      );
      const sums = both.map((each) => tookCents(each) || charge(each)['amount_minor']);
      return (
        both.every((each) => says(each, 'took') || (verb !== 'paid' && isSilent(each))) &&
        sums.every((each) => each === cents(sum)) &&
        apart <= 7 * 86_400_000 &&
        other.order['reference_id'] === order &&
        charge(disputed)['reference'] === own &&
        disputed.order['reference_id'] === mine
      );
    },
  ],
];

it('says nothing untrue in 1,000 packs, and every sentence is one that the judge knows', () => {
  expect(packs).toHaveLength(COUNT);
  const cases = new Map(world.cases.map((each) => [each.id, each]));
  const untrue: string[] = [];
  const counts = new Map<number, number>();
  for (const pack of packs) {
    const own = cases.get(pack.representmentId);
    if (own === undefined) throw new Error(`${pack.representmentId} is not of this world`);
    const scene: Scene = { case: own, body: bodyOf(own.disputed) };
    for (const { text } of pack.sections.flatMap(({ sentences }) => sentences)) {
      const at = JUDGES.findIndex(([form]) => form.test(text));
      const [form, judge] = JUDGES[at] ?? [];
      counts.set(at, (counts.get(at) ?? 0) + 1);
      const groups = form?.exec(text)?.groups ?? {};
      if (judge === undefined || !judge(groups, scene)) untrue.push(`${own.id}: ${text}`);
    }
  }
  expect(untrue.slice(0, 20)).toEqual([]);
  // Each sentence is told often enough to have met its contraries.
  const rare = JUDGES.filter((_, index) => (counts.get(index) ?? 0) < 5).map(
    ([form]) => form.source,
  );
  expect(rare).toEqual([]);
});

it('says what the rows do show: no payment with one clear end is left out', () => {
  const byId = new Map(packs.map((pack) => [pack.representmentId, pack]));
  const silent = world.cases.filter(({ id, disputed }) => {
    const isClear = ['took', 'declined', 'released'].some((each) => says(disputed, each));
    const currency = disputed.account?.['currency'] ?? 'USD';
    return isClear && currency === 'USD' && (byId.get(id)?.missing ?? []).includes('payment');
  });
  // An authorisation beside the order's later word is a doubt.
  expect(silent.filter(({ disputed }) => !voicesOf(disputed).has('open'))).toEqual([]);
});
