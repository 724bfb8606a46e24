/** What the conformance suite may do to a fake provider whose books are a {@link Ledger}. */
import type { ConformanceFixture } from '../../../../src/running/verify/conformance-check.ts';
import type { FakeProvider } from './fake-provider.ts';
import type { Ledger } from './ledger.ts';

/** How the provider names things. */
export interface FixtureNames {
  /** What its charges' ids begin with. */
  readonly charge: string;
  /** What its subscriptions' references begin with; left out: it has none. */
  readonly subscription?: string;
  /** A charge's reference, where it is another than its id. @default the id */
  readonly referenceOf?: (id: string) => string;
  /** The id behind a reference. @default the reference */
  readonly idOf?: (reference: string) => string;
  readonly currency?: string;
}

/** The fixture. */
export function ledgerFixture(
  ledger: Ledger,
  provider: FakeProvider,
  { charge, subscription, currency, referenceOf = same, idOf = same }: FixtureNames,
): ConformanceFixture {
  const opened = async (captured: boolean) => {
    const made = ledger.open({
      id: ledger.next(charge),
      captured,
      ...(currency === undefined ? {} : { currency }),
    });
    return {
      reference: referenceOf(made.id),
      amountMinor: made.amount,
      currency: made.currency,
    };
  };
  return {
    captured: () => opened(true),
    authorised: () => opened(false),
    absentReference: referenceOf(`${charge}999999`),
    newKey: () => ledger.next('fst_000000000000000000000000000000000'),
    ...(subscription === undefined
      ? {}
      : {
          subscription: async () => {
            const id = ledger.next(subscription);
            ledger.subscriptions.set(id, 'active');
            return id;
          },
          absentSubscription: `${subscription}999999`,
        }),
    refundedMinor: async (reference) => ledger.refundedOf(idOf(reference)),
    settle: async () => ledger.settle(),
    failRefund: async (id) => {
      ledger.findRefund(id)!.status = 'failed';
    },
    dispute: async (reference) => {
      ledger.charges.get(idOf(reference))!.disputed = true;
    },
    offersFault: () => true,
    withFault: (fault, call) => provider.withFault(fault, call),
  };
}

const same = (text: string): string => text;
