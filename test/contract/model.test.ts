/**
 * Guarantee: whatever is done in whatever order, alerts, enrolments, deflections and orders are
 * always where the state tables of the specification put them, and every change is told once.
 */
import fc from 'fast-check';
import { expect } from 'vitest';
import type { Contract } from './support/contract.ts';
import { contract, sandboxRule } from './support/contract.ts';
import { alertSimulation, completeOrder } from './support/examples.ts';

const t = contract({ requestsPerMinute: 1_000_000 });

/** What the specification says should be there. */
interface Model {
  readonly alerts: { id: string; rdr: boolean; status: string; outcome: string | null }[];
  readonly enrolments: { id: string; status: string; descriptors: string[] }[];
  readonly lookups: { id: string; deflection: string }[];
  readonly orders: Map<string, { id: string; status: string; refunds: Map<string, number> }>;
  /** How many events should have been emitted so far. */
  events: number;
}

type Step = (t: Contract, model: Model) => Promise<void>;

/** One of the things that exist, if any. */
function choose<Item>(items: readonly Item[], pick: number): Item | undefined {
  return items.length === 0 ? undefined : items[pick % items.length];
}

const OUTCOME: Record<string, string> = { REFUND: 'REFUNDED', ACCEPT_DISPUTE: 'NOT_REFUNDED' };

const raise = (rdr: boolean): Step => {
  return async (contract, model) => {
    const through = rdr ? { enrolment_id: contract.rdrEnrolmentId, status: 'RESOLVED' } : {};
    const reply = await contract.org(
      'POST',
      '/v1/simulate/alerts',
      alertSimulation(contract, through),
    );
    expect(reply.status).toBe(201);
    model.alerts.push({
      id: reply.json.id,
      rdr,
      status: rdr ? 'RESOLVED' : 'ACTION_REQUIRED',
      outcome: rdr ? 'REFUNDED' : null,
    });
    model.events += 1;
  };
};

const act = (pick: number, action: string, dashboard: boolean): Step => {
  return async (contract, model) => {
    const alert = choose(model.alerts, pick);
    if (alert === undefined) return;
    const reply = dashboard
      ? await contract.control('POST', `/alerts/${alert.id}/resolve`, { action })
      : await contract.org('PATCH', `/v1/alerts/${alert.id}`, { action });
    const allowed = alert.status === 'ACTION_REQUIRED';
    expect(reply.status).toBe(allowed ? 200 : 422);
    if (!allowed) return;
    alert.status = 'RESOLVED';
    alert.outcome = OUTCOME[action] ?? null;
    model.events += 1;
  };
};

const withdraw = (pick: number): Step => {
  return async (contract, model) => {
    const alert = choose(model.alerts, pick);
    if (alert === undefined) return;
    await contract.control('POST', `/alerts/${alert.id}/invalidate`, {});
    if (alert.status !== 'INVALID') model.events += 1;
    alert.status = 'INVALID';
  };
};

const enrol = (descriptor: string): Step => {
  return async (contract, model) => {
    const reply = await contract.partner('POST', '/v2/enrolments', {
      merchant_ids: [contract.merchantId],
      type: 'NETA_ALERT',
      neta_alert: { descriptors: [{ descriptor, match_type: 'EXACT_MATCH' }] },
    });
    expect(reply.status).toBe(201);
    model.enrolments.push({ id: reply.json.id, status: 'PENDING', descriptors: [descriptor] });
    model.events += 1;
  };
};

const append = (pick: number, descriptor: string): Step => {
  return async (contract, model) => {
    const enrolment = choose(model.enrolments, pick);
    if (enrolment === undefined) return;
    const reply = await contract.partner('PATCH', `/v2/enrolments/${enrolment.id}`, {
      neta_alert: { descriptors: [{ descriptor, match_type: 'EXACT_MATCH' }] },
    });
    const cancelled = enrolment.status === 'CANCELLED';
    const known = enrolment.descriptors.includes(descriptor);
    const code = cancelled ? 'ENROLMENT_STATUS_NOT_APPENDABLE' : 'DUPLICATE_DESCRIPTOR';
    expect(reply.status).toBe(cancelled || known ? 422 : 200);
    if (cancelled || known) {
      expect(reply.json.errors[0].code).toBe(code);
      return;
    }
    enrolment.descriptors.push(descriptor);
    model.events += 1;
  };
};

const move = (pick: number, status: string): Step => {
  return async (contract, model) => {
    const enrolment = choose(model.enrolments, pick);
    if (enrolment === undefined) return;
    await contract.org('PATCH', `/v1/simulate/enrolments/${enrolment.id}`, { status });
    if (enrolment.status !== status) model.events += 1;
    enrolment.status = status;
  };
};

const cancel = (pick: number): Step => {
  return async (contract, model) => {
    const enrolment = choose(model.enrolments, pick);
    if (enrolment === undefined) return;
    const reply = await contract.partner('DELETE', `/v2/enrolments/${enrolment.id}`);
    const allowed = enrolment.status === 'PENDING';
    expect(reply.status).toBe(allowed ? 200 : 422);
    if (!allowed) return;
    enrolment.status = 'CANCELLED';
    model.events += 1;
  };
};

const look = (): Step => {
  return async (contract, model) => {
    const reply = await contract.control('POST', '/lookups', {
      type: 'NETB_ORDER_INSIGHT',
      lookup_status: 'SUCCEEDED',
      deflection_status: 'PENDING',
    });
    model.lookups.push({ id: reply.json.id, deflection: 'PENDING' });
    model.events += 1;
  };
};

const notice = (pick: number, kind: string): Step => {
  return async (contract, model) => {
    const lookup = choose(model.lookups, pick);
    if (lookup === undefined) return;
    await contract.control('POST', `/lookups/${lookup.id}/case-notice`, { notice: kind });
    const deflection = kind === 'NEW' ? 'SUCCEEDED' : 'FAILED';
    if (lookup.deflection !== deflection) model.events += 1;
    lookup.deflection = deflection;
  };
};

const order = (reference: string): Step => {
  return async (contract, model) => {
    const body = completeOrder(contract, { reference_id: reference });
    const reply = await contract.org('POST', '/v1/orders/', [body]);
    const known = model.orders.has(reference);
    expect(reply.status).toBe(known ? 400 : 200);
    if (known) {
      expect(reply.json.errors[0].code).toBe('DUPLICATE_ORDER');
      return;
    }
    const [{ id }] = reply.json.results;
    model.orders.set(reference, { id, status: 'CLOSED_COMPLETE', refunds: new Map() });
  };
};

const record = (change: {
  reference: string;
  refund: string;
  amount: number;
  status: string;
}): Step => {
  return async (contract, model) => {
    const stored = model.orders.get(change.reference);
    const refundReference = `${change.reference}-${change.refund}`;
    const reply = await contract.org('PATCH', `/v1/orders/${stored?.id ?? 'ord_none'}`, {
      order_status: change.status,
      refunds: [{ reference_id: refundReference, amount_in_cents: change.amount, currency: 'USD' }],
    });
    if (stored === undefined) {
      expect(reply.status).toBe(404);
      return;
    }
    const before = stored.refunds.get(refundReference);
    const immutable = before !== undefined && before !== change.amount;
    expect(reply.status).toBe(immutable ? 422 : 200);
    if (immutable) return;
    stored.refunds.set(refundReference, change.amount);
    stored.status = change.status;
  };
};

/** Compares everything that can be read with the model. */
async function compare(contract: Contract, model: Model): Promise<void> {
  const alerts = (await contract.org('GET', '/v1/alerts/?limit=100&sort=created_at')).json.items;
  expect(
    alerts.map((alert: Record<string, unknown>) => [
      alert['id'],
      alert['status'],
      alert['transaction_refund_outcome'],
    ]),
  ).toEqual(model.alerts.map(({ id, status, outcome }) => [id, status, outcome]));
  for (const { id, status, descriptors } of model.enrolments) {
    const { json } = await contract.partner('GET', `/v2/enrolments/${id}`);
    const texts = json.neta_alert.descriptors.map(
      (entry: { descriptor: string }) => entry.descriptor,
    );
    expect([json.status, texts]).toEqual([status, descriptors]);
  }
  const lookups = (await contract.org('GET', '/v1/lookups/?sort=created_at')).json.items;
  expect(
    lookups.map((lookup: Record<string, unknown>) => [lookup['id'], lookup['deflection_status']]),
  ).toEqual(model.lookups.map(({ id, deflection }) => [id, deflection]));
  for (const [reference, { id, status, refunds }] of model.orders) {
    const { json } = await contract.org('GET', `/v1/orders/?reference_id=${reference}`);
    expect(json.count).toBe(1);
    expect([json.items[0].id, json.items[0].order_status]).toEqual([id, status]);
    const amounts = (json.items[0].refunds ?? []).map(
      (refund: { reference_id: string; amount_in_cents: number }) => [
        refund.reference_id,
        refund.amount_in_cents,
      ],
    );
    expect(amounts).toEqual([...refunds]);
  }
  expect(contract.sandbox.events()).toHaveLength(model.events);
}

const pick = fc.nat(20);
const descriptor = fc.constantFrom('ACME ONE', 'ACME TWO', 'ACME THREE');
const reference = fc.constantFrom('o-1', 'o-2', 'o-3');
const action = fc.constantFrom('REFUND', 'ACCEPT_DISPUTE');
const status = fc.constantFrom('PENDING', 'IN_PROGRESS', 'ACTION_REQUIRED', 'ENABLED', 'CANCELLED');

const steps: fc.Arbitrary<[string, Step]> = fc.oneof(
  fc.boolean().map((rdr): [string, Step] => [`raise rdr=${rdr}`, raise(rdr)]),
  fc
    .tuple(pick, action, fc.boolean())
    .map(([p, a, d]): [string, Step] => [`act ${p} ${a} dashboard=${d}`, act(p, a, d)]),
  pick.map((p): [string, Step] => [`withdraw ${p}`, withdraw(p)]),
  descriptor.map((d): [string, Step] => [`enrol ${d}`, enrol(d)]),
  fc.tuple(pick, descriptor).map(([p, d]): [string, Step] => [`append ${p} ${d}`, append(p, d)]),
  fc.tuple(pick, status).map(([p, s]): [string, Step] => [`move ${p} ${s}`, move(p, s)]),
  pick.map((p): [string, Step] => [`cancel ${p}`, cancel(p)]),
  fc.constant<[string, Step]>(['look', look()]),
  fc
    .tuple(pick, fc.constantFrom('NEW', 'FAILED', 'TIMEOUT', 'DELETE'))
    .map(([p, k]): [string, Step] => [`notice ${p} ${k}`, notice(p, k)]),
  reference.map((r): [string, Step] => [`order ${r}`, order(r)]),
  fc
    .record({
      reference,
      refund: fc.constantFrom('r1', 'r2'),
      amount: fc.constantFrom(100, 200),
      status: fc.constantFrom('OTHER', 'CLOSED_CANCELLED'),
    })
    .map((change): [string, Step] => [`record ${JSON.stringify(change)}`, record(change)]),
);

sandboxRule(
  'any sequence of operations ends where the state tables say',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { minLength: 1, maxLength: 30 }), async (sequence) => {
        t.sandbox.reset();
        const model: Model = {
          alerts: [],
          enrolments: [],
          lookups: [],
          orders: new Map(),
          events: 0,
        };
        for (const [, step] of sequence) await step(t, model);
        await compare(t, model);
      }),
      { numRuns: 30 },
    );
  },
  120_000,
);
