/**
 * A processor with a ledger of its own: the oracle of every test about money.
 *
 * It is the worst case that its capabilities allow: it executes what it is sent, also after the caller
 * gave up, and refuses nothing that the capabilities do not promise to refuse.
 */

import type { FixedClock } from '../../../src/base/kernel/clock.ts';
import type {
  Answer,
  FailureClass,
  Processor,
  ProcessorCapabilities,
  ProcessorCharge,
  ProcessorRefund,
  RefundOutcome,
  RefundRequest,
} from '../../../src/service/wire/processor.ts';
import { chargeOf } from '../../unit/ledger/fixtures.ts';

/** How one refund call goes wrong. */
export type RefundFault =
  | 'lost_before' // never arrives; the caller sees a timeout
  | 'lost_after' // executes; the reply is lost
  | 'late' // executes when the test says so; the caller sees a timeout
  | 'throws_after' // executes, and the adapter throws
  | 'rejects' // refused, no money moves
  | 'pending'; // accepted, not settled

function rejected(failureCode: string, failureClass: FailureClass): RefundOutcome {
  return { kind: 'rejected', failureCode, failureClass };
}

/** One movement of money at the processor. */
export interface LedgerEntry {
  readonly reference: string;
  readonly chargeReference: string;
  readonly amountMinor: number;
  readonly key: string | null;
  readonly atMs: number;
  status: 'succeeded' | 'pending' | 'failed';
}

export const FULL_CAPABILITIES: ProcessorCapabilities = {
  idempotencyTtlHours: 24,
  canLookupByReference: true,
  lookupLagSeconds: 0,
  refusesOverRefund: true,
  asyncRefunds: false,
  pendingCounts: false,
  requestLifetimeSeconds: 60,
};

interface ChargeState {
  status: ProcessorCharge['status'];
  amountMinor: number;
  currency: string;
  disputed: boolean;
}

export interface FakeProcessor extends Processor {
  /** Every movement of money, ours and the support team's. */
  readonly ledger: LedgerEntry[];
  /** Every refund call that arrived here, executed or not. */
  readonly calls: RefundRequest[];
  readonly voids: string[];
  caps: ProcessorCapabilities;
  /** Taken by the next refund calls, first in, first out. */
  readonly faults: RefundFault[];
  /** Every refund is refused so, while set. */
  refuses: { readonly code: string; readonly failureClass: FailureClass } | undefined;
  /** While true every read answers `unavailable`. */
  down: boolean;
  /** Called right before a refund call reaches the processor. */
  beforeRefund: (() => void | Promise<void>) | undefined;
  addCharge(reference: string, charge?: Partial<ChargeState>): void;
  charge(reference: string): ChargeState;
  /** The support team refunds by hand. Refused above what is left. */
  supportRefund(reference: string, amountMinor: number, status?: LedgerEntry['status']): void;
  /** Executes every call that was given up on and still lives. */
  executeLate(): void;
  /** Money of ours on a charge that was not failed, in minor units. */
  ours(reference: string): number;
  /** How often we moved money on a charge. */
  count(reference: string): number;
}

export function createFakeProcessor(clock: FixedClock): FakeProcessor {
  const charges = new Map<string, ChargeState>();
  const ledger: LedgerEntry[] = [];
  const calls: RefundRequest[] = [];
  const voids: string[] = [];
  const faults: RefundFault[] = [];
  let late: { readonly request: RefundRequest; readonly atMs: number }[] = [];

  const moved = (reference: string): number =>
    ledger
      .filter((entry) => entry.chargeReference === reference && entry.status !== 'failed')
      .reduce((sum, entry) => sum + entry.amountMinor, 0);
  const show = (entry: LedgerEntry): ProcessorRefund => ({
    reference: entry.reference,
    idempotencyKey: entry.key,
    chargeReference: entry.chargeReference,
    status: entry.status,
    failureCode: entry.status === 'failed' ? 'failed_later' : null,
    amountMinor: entry.amountMinor,
    currency: charges.get(entry.chargeReference)?.currency ?? 'EUR',
    createdAt: new Date(entry.atMs).toISOString(),
  });
  const known = (request: RefundRequest): LedgerEntry | undefined =>
    ledger.find(
      (entry) =>
        entry.key === request.idempotencyKey &&
        clock.nowMs() - entry.atMs < self.caps.idempotencyTtlHours * 3_600_000,
    );
  const execute = (
    request: RefundRequest,
    status: LedgerEntry['status'] = 'succeeded',
  ): RefundOutcome => {
    const first = known(request);
    if (first !== undefined) return { kind: 'confirmed', refund: show(first) };
    const charge = charges.get(request.chargeReference);
    if (charge === undefined) return rejected('charge_not_found', 'ours');
    if (charge.status !== 'captured') return rejected('not_captured', 'final');
    const left = charge.amountMinor - moved(request.chargeReference);
    if (self.caps.refusesOverRefund && request.amountMinor > left) {
      return rejected('charge_already_refunded', 'done');
    }
    const entry: LedgerEntry = {
      reference: `re_${ledger.length + 1}`,
      chargeReference: request.chargeReference,
      amountMinor: request.amountMinor,
      key: request.idempotencyKey,
      atMs: clock.nowMs(),
      status,
    };
    ledger.push(entry);
    return { kind: status === 'pending' ? 'pending' : 'confirmed', refund: show(entry) };
  };

  const self: FakeProcessor = {
    name: 'fake',
    ledger,
    calls,
    voids,
    faults,
    caps: FULL_CAPABILITIES,
    refuses: undefined,
    down: false,
    beforeRefund: undefined,
    addCharge(reference, charge = {}) {
      charges.set(reference, {
        status: 'captured',
        amountMinor: 5000,
        currency: 'EUR',
        disputed: false,
        ...charge,
      });
    },
    charge: (reference) => charges.get(reference)!,
    supportRefund(reference, amountMinor, status = 'succeeded') {
      const left = (charges.get(reference)?.amountMinor ?? 0) - moved(reference);
      if (amountMinor > left) return;
      ledger.push({
        reference: `su_${ledger.length + 1}`,
        chargeReference: reference,
        amountMinor,
        key: null,
        atMs: clock.nowMs(),
        status,
      });
    },
    executeLate() {
      const lifeMs = self.caps.requestLifetimeSeconds * 1000;
      for (const { request, atMs } of late) {
        if (clock.nowMs() - atMs <= lifeMs) execute(request);
      }
      late = [];
    },
    ours: (reference) =>
      ledger
        .filter(
          ({ chargeReference, key, status }) =>
            chargeReference === reference && key !== null && status !== 'failed',
        )
        .reduce((sum, entry) => sum + entry.amountMinor, 0),
    count: (reference) =>
      ledger.filter(
        ({ chargeReference, key, status }) =>
          chargeReference === reference && key !== null && status !== 'failed',
      ).length,
    capabilities: async () => self.caps,
    searchCharges: async () => ({ kind: 'not_offered' }),
    async readCharge(reference): Promise<Answer<ProcessorCharge>> {
      if (self.down) return { kind: 'unavailable', reason: 'down' };
      const charge = charges.get(reference);
      if (charge === undefined) return { kind: 'absent' };
      return {
        kind: 'found',
        value: chargeOf({
          reference,
          ...charge,
          refundableMinor: charge.status === 'captured' ? charge.amountMinor - moved(reference) : 0,
          refunds: ledger.filter((entry) => isVisible(entry, reference)).map(show),
        }),
      };
    },
    async findRefund(request): Promise<Answer<ProcessorRefund>> {
      if (self.down) return { kind: 'unavailable', reason: 'down' };
      if (!self.caps.canLookupByReference) return { kind: 'not_offered' };
      const own = ledger.find(
        (entry) =>
          entry.key === request.idempotencyKey && isVisible(entry, request.chargeReference),
      );
      return own === undefined ? { kind: 'absent' } : { kind: 'found', value: show(own) };
    },
    async refund(request): Promise<RefundOutcome> {
      await self.beforeRefund?.();
      calls.push(request);
      if (self.refuses !== undefined) {
        return rejected(self.refuses.code, self.refuses.failureClass);
      }
      const fault = faults.shift();
      switch (fault) {
        case 'lost_before':
          return { kind: 'unknown', reason: 'timeout' };
        case 'late':
          late.push({ request, atMs: clock.nowMs() });
          return { kind: 'unknown', reason: 'timeout' };
        case 'lost_after':
          execute(request);
          return { kind: 'unknown', reason: 'timeout' };
        case 'throws_after':
          execute(request);
          throw new Error('socket hang up');
        case 'rejects':
          return rejected('insufficient_balance', 'retry');
        case 'pending':
          return execute(request, 'pending');
        case undefined:
          return execute(request);
      }
    },
    async voidCharge(reference) {
      voids.push(reference);
      const charge = charges.get(reference);
      const fault = faults.shift();
      if (fault === 'lost_before') return 'unknown';
      if (charge?.status === 'authorised') charge.status = 'voided';
      if (fault === 'lost_after') return 'unknown';
      return charge?.status === 'voided' ? 'voided' : 'rejected';
    },
    cancelSubscription: async () => 'not_offered',
  };
  const isVisible = (entry: LedgerEntry, reference: string): boolean =>
    entry.chargeReference === reference &&
    // Support works in the dashboard: its refunds show at once.
    (entry.key === null || clock.nowMs() - entry.atMs >= self.caps.lookupLagSeconds * 1000);
  return self;
}
