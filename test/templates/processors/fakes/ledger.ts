/** The books of a fake provider, in the provider's own integer units. */

export interface LedgerRefund {
  readonly id: string;
  readonly key: string;
  readonly amount: number;
  readonly created: number;
  status: 'pending' | 'succeeded' | 'failed';
}

export interface LedgerCharge {
  readonly id: string;
  readonly amount: number;
  readonly currency: string;
  readonly created: number;
  readonly last4: string;
  status: 'captured' | 'authorised' | 'voided';
  disputed: boolean;
  readonly refunds: LedgerRefund[];
}

export type LedgerRefusal = 'missing' | 'uncaptured' | 'too_much' | 'disputed';

export class Ledger {
  readonly charges = new Map<string, LedgerCharge>();
  readonly subscriptions = new Map<string, 'active' | 'cancelled'>();
  /** Whether what is disputed may still be refunded. */
  readonly #refundsDisputed: boolean;
  #count = 0;

  constructor(options: { readonly refundsDisputed?: boolean } = {}) {
    this.#refundsDisputed = options.refundsDisputed ?? true;
  }

  next(prefix: string): string {
    this.#count += 1;
    return `${prefix}${String(this.#count).padStart(6, '0')}`;
  }

  open(charge: {
    id: string;
    currency?: string;
    amount?: number;
    captured?: boolean;
  }): LedgerCharge {
    const opened: LedgerCharge = {
      id: charge.id,
      amount: charge.amount ?? 1000,
      currency: charge.currency ?? 'USD',
      created: 1_790_000_000,
      last4: '4242',
      status: charge.captured === false ? 'authorised' : 'captured',
      disputed: false,
      refunds: [],
    };
    this.charges.set(opened.id, opened);
    return opened;
  }

  refundedOf(id: string): number {
    const refunds = this.charges.get(id)?.refunds ?? [];
    return refunds
      .filter(({ status }) => status !== 'failed')
      .reduce((sum, { amount }) => sum + amount, 0);
  }

  refund(
    chargeId: string,
    wanted: { readonly id: string; readonly key: string; readonly amount: number },
    status: LedgerRefund['status'],
  ): LedgerRefund | LedgerRefusal {
    const charge = this.charges.get(chargeId);
    if (charge === undefined) return 'missing';
    if (charge.status !== 'captured') return 'uncaptured';
    if (charge.disputed && !this.#refundsDisputed) return 'disputed';
    if (this.refundedOf(chargeId) + wanted.amount > charge.amount) return 'too_much';
    const refund: LedgerRefund = { ...wanted, created: charge.created + 3600, status };
    charge.refunds.push(refund);
    return refund;
  }

  findRefund(id: string): LedgerRefund | undefined {
    return [...this.charges.values()].flatMap(({ refunds }) => refunds).find((r) => r.id === id);
  }

  settle(): void {
    for (const { refunds } of this.charges.values()) {
      for (const refund of refunds) if (refund.status === 'pending') refund.status = 'succeeded';
    }
  }
}
