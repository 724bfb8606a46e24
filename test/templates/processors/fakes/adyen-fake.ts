/** Adyen as its documentation describes it: `received` at once, the decision in a notification later. */
import type { ConformanceFixture } from '../../../../src/running/verify/conformance-check.ts';
import type { AdyenNotifications } from '../../../../templates/processors/adyen/notifications.ts';
import { chargeOf } from '../../../../templates/processors/adyen/notifications.ts';
import { notification } from './adyen-notification.ts';
import type { FakeAnswer, FakeProvider, FakeRequest } from './fake-provider.ts';
import { serveFake } from './fake-provider.ts';
import type { LedgerRefund } from './ledger.ts';
import { Ledger } from './ledger.ts';

export const ADYEN_BASE = 'https://checkout-test.adyen.com';

export interface AdyenFake {
  readonly ledger: Ledger;
  readonly provider: FakeProvider;
  readonly fixture: ConformanceFixture;
  readonly notifications: AdyenNotifications;
}

const CARD = { authCode: '123456', cardBin: '411111', cardSummary: '4242' };

function refusal(errorCode: string): FakeAnswer {
  const message = 'Original pspReference required for this operation';
  return { status: 422, body: { status: 422, errorCode, message, errorType: 'validation' } };
}

interface AdyenBody {
  readonly merchantAccount: string;
  readonly reference: string;
  readonly amount?: { readonly value: number; readonly currency: string };
}

export function startAdyenFake(): AdyenFake {
  const ledger = new Ledger();
  const saved = new Map<string, FakeAnswer>();
  const stored = new Map<string, Record<string, unknown>[]>();
  const pending: { readonly payment: string; readonly decide: () => Record<string, unknown> }[] =
    [];
  let isStoreDown = false;

  function decided(payment: string, refund: LedgerRefund, fits: boolean): Record<string, unknown> {
    if (fits) refund.status = 'succeeded';
    return notification('REFUND', {
      pspReference: refund.id,
      originalReference: payment,
      merchantReference: refund.key,
      amount: { currency: 'EUR', value: refund.amount },
      success: String(fits),
      reason: fits ? '' : 'Insufficient balance on payment',
    });
  }

  function receive(payment: string, body: AdyenBody, what: string): FakeAnswer {
    const charge = ledger.charges.get(payment);
    if (charge === undefined) return refusal('167');
    const { reference, amount, merchantAccount } = body;
    const pspReference = ledger.next('QFQTPCQ8HXS');
    const common = { merchantAccount, paymentPspReference: payment, reference, pspReference };
    if (what === 'cancels') {
      pending.push({
        payment,
        decide: () => {
          const fits = charge.status === 'authorised';
          if (fits) charge.status = 'voided';
          return notification('CANCELLATION', {
            pspReference,
            originalReference: payment,
            success: String(fits),
          });
        },
      });
      return { status: 201, body: { ...common, status: 'received' } };
    }
    const wanted = { id: pspReference, key: reference, amount: amount?.value ?? 0 };
    const made = ledger.refund(payment, wanted, 'pending');
    const fits = typeof made !== 'string';
    const refund: LedgerRefund = fits ? made : { ...wanted, created: 0, status: 'failed' };
    pending.push({ payment, decide: () => decided(payment, refund, fits) });
    return { status: 201, body: { ...common, amount, status: 'received' } };
  }

  function handle({ path, headers, body }: FakeRequest): FakeAnswer {
    const key = headers['idempotency-key'] ?? '';
    const earlier = saved.get(key);
    // The first answer is returned whatever the repeat holds.
    if (earlier !== undefined) return earlier;
    const [, , , payment, what] = path.split('/');
    const answer = receive(payment ?? '', JSON.parse(body) as AdyenBody, what ?? '');
    saved.set(key, answer);
    return answer;
  }

  const notifications: AdyenNotifications = {
    ofPayment: (reference) =>
      isStoreDown
        ? Promise.reject(new Error('down'))
        : Promise.resolve(stored.get(reference) ?? []),
    search: (query) => {
      const fitting = [...stored].filter(([reference, items]) => {
        const charge = chargeOf(reference, items, 'manual');
        return (
          typeof charge === 'object' &&
          charge?.cardLast4 === query.cardLast4 &&
          charge?.amountMinor === (query.amountMinor ?? charge?.amountMinor)
        );
      });
      return Promise.resolve(fitting.map(([reference]) => reference));
    },
  };
  const provider = serveFake({
    base: ADYEN_BASE,
    handle,
    isRefund: ({ path }) => path.endsWith('/refunds'),
    refusal: refusal('167').body,
  });

  function open(captured: boolean): { reference: string; amountMinor: number; currency: string } {
    const id = ledger.next('JDD6LKT8MBL');
    const { amount, currency } = ledger.open({ id, captured, currency: 'EUR' });
    const items = [notification('AUTHORISATION', { pspReference: id, additionalData: CARD })];
    const capture = { pspReference: ledger.next('CAP'), originalReference: id };
    if (captured) items.push(notification('CAPTURE', capture));
    stored.set(id, items);
    return { reference: id, amountMinor: amount, currency };
  }

  function settle(): void {
    for (const { payment, decide } of pending.splice(0)) stored.get(payment)?.push(decide());
  }

  const fixture: ConformanceFixture = {
    captured: () => Promise.resolve(open(true)),
    authorised: () => Promise.resolve(open(false)),
    absentReference: 'JDD6LKT8MBL999999',
    newKey: () => ledger.next('fst_000000000000000000000000000000000'),
    refundedMinor: (id) => Promise.resolve(ledger.refundedOf(id)),
    settle: () => Promise.resolve(settle()),
    failRefund: (id) => {
      settle();
      const refund = ledger.findRefund(id)!;
      refund.status = 'failed';
      const of = [...ledger.charges.values()].find(({ refunds }) => refunds.includes(refund))!;
      stored.get(of.id)?.push(
        notification('REFUND_FAILED', {
          pspReference: id,
          originalReference: of.id,
          merchantReference: refund.key,
          amount: { currency: 'EUR', value: refund.amount },
          reason: 'Account closed',
        }),
      );
      return Promise.resolve();
    },
    dispute: (id) => {
      const pspReference = ledger.next('DIS');
      stored.get(id)?.push(notification('CHARGEBACK', { pspReference, originalReference: id }));
      return Promise.resolve();
    },
    offersFault: () => true,
    withFault: async (fault, call) => {
      isStoreDown = fault.on === 'reading';
      try {
        return await provider.withFault(fault, call);
      } finally {
        isStoreDown = false;
      }
    },
  };
  return { ledger, provider, fixture, notifications };
}
