/**
 * The sandbox's processor as a fixture of the conformance checks: charges, books and faults of its
 * own, for trying whatever speaks the HTTP contract to it.
 */
import { randomInt } from 'node:crypto';
import { InvariantError } from '../../base/kernel/errors.ts';
import { createId } from '../../base/kernel/ids.ts';
import type { CallFault } from '../../sandbox/fault-rule.ts';
import type { Sandbox } from '../../sandbox/index.ts';
import type { ConformanceFault } from '../testing/conformance-fault.ts';
import type { ConformanceFixture, FixtureCharge } from './conformance-check.ts';

/** Longer than any lag or settlement of the sandbox's processor, on the sandbox's clock. */
const SETTLE_MS = 2 * 3_600_000;

/** Creates the fixture. It adds charges to the sandbox, and moves its clock. */
export function createSandboxFixture(sandbox: Sandbox): ConformanceFixture {
  return {
    captured: () => Promise.resolve(chargeIn(sandbox, 'captured')),
    authorised: () => Promise.resolve(chargeIn(sandbox, 'authorised')),
    absentReference: 'ch_conformance_absent',
    newKey: () => createId('fst'),
    subscription: (): Promise<string> => {
      const reference = createId('sub');
      sandbox.createCharge({ subscription_reference: reference });
      return Promise.resolve(reference);
    },
    refundedMinor: (reference) => Promise.resolve(sandbox.moneyOut(reference).sumMinor),
    settle: () => sandbox.advance(SETTLE_MS),
    failRefund: (reference): Promise<void> => {
      sandbox.settleRefund(reference, 'failed', 'account_closed');
      return Promise.resolve();
    },
    dispute: (reference): Promise<void> => {
      sandbox.takeChargeback(reference);
      return Promise.resolve();
    },
    offersFault: (fault) => ruleOf(fault) !== undefined,
    withFault: (fault, call) => withFault(sandbox, fault, call),
  };
}

async function withFault<Value>(
  sandbox: Sandbox,
  fault: ConformanceFault,
  call: () => Promise<Value>,
): Promise<Value> {
  const rule = ruleOf(fault);
  if (rule === undefined) {
    throw new InvariantError(`The sandbox cannot make the fault ${fault.kind}. Ask offersFault.`);
  }
  const on = fault.on === 'refund' ? 'POST /processor/refunds' : 'GET /processor/*';
  const planted = sandbox.addFault({ ...rule, on, rate: 1 });
  try {
    return await call();
  } finally {
    sandbox.faults.remove(planted.id);
  }
}

function chargeIn(sandbox: Sandbox, status: 'captured' | 'authorised'): FixtureCharge {
  const charge = sandbox.createCharge({
    status,
    amount_in_cents: 1_000,
    card_brand: 'visa',
    card_bin: '424242',
    card_last4: '4242',
    acquirer_reference_number: `7453760${randomInt(10 ** 12, 10 ** 13)}001`,
    authorisation_code: String(randomInt(100_000, 1_000_000)),
  });
  return {
    reference: charge.reference,
    amountMinor: charge.amount_in_cents,
    currency: charge.currency,
  };
}

/** The sandbox's way of making the fault; undefined when it has none. Reading executes nothing. */
function ruleOf({
  kind,
  on,
  executes,
}: ConformanceFault): { readonly kind: CallFault; readonly status?: number } | undefined {
  const isReading = on === 'reading';
  switch (kind) {
    case 'connection_lost':
      return { kind: executes ? 'drop_after' : 'drop_before' };
    case 'no_answer':
      return executes ? undefined : { kind: 'hang' };
    case 'html':
      return executes || isReading ? { kind: 'malformed' } : undefined;
    case 'truncated':
      return executes || isReading ? { kind: 'truncated' } : undefined;
    case 'empty':
      return undefined;
    default:
      return executes ? undefined : { kind: 'status', status: Number(kind.slice('http_'.length)) };
  }
}
