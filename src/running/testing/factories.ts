/**
 * Alerts and events as the service would send them, for tests that need one and nothing else.
 *
 * Every field of the specification is there; ids count up, so that a run repeats.
 */
import type { Clock } from '../../base/kernel/clock.ts';
import { nowIso } from '../../base/kernel/clock.ts';
import type { Alert } from '../../service/wire/alert.ts';
import type { EventType } from '../../service/wire/event.ts';
import { EVENT_API_VERSIONS } from '../../service/wire/event.ts';

/** An event in the specification's envelope. */
export interface TestEvent {
  readonly id: string;
  readonly type: string;
  readonly created_at: string;
  readonly data: {
    readonly object: Readonly<Record<string, unknown>>;
    readonly previous_attributes?: Readonly<Record<string, unknown>>;
  };
  readonly api_version: string;
}

/** What an event is made of: one of the ten types, and the resource it is about. */
export interface EventWishes {
  readonly type: EventType;
  readonly object: Readonly<Record<string, unknown>>;
  /** For updates: the changed fields at their old values. */
  readonly previous?: Readonly<Record<string, unknown>>;
  /** @default a new one */
  readonly id?: string;
}

/** Creates alerts and events on one clock. */
export interface Factories {
  /** An open alert of 29.00 USD with two days left, with the given fields changed. */
  alert(fields?: Partial<Alert>): Alert;
  event(wishes: EventWishes): TestEvent;
}

const DAY_MS = 86_400_000;

/** Creates the factories. */
export function createFactories(clock: Clock): Factories {
  let alerts = 0;
  let events = 0;
  return {
    alert(fields = {}): Alert {
      alerts += 1;
      return { ...plainAlert(clock, alerts), ...fields };
    },
    event({ type, object, previous, id }): TestEvent {
      events += 1;
      const isUpdate = type.endsWith('.updated');
      return {
        id: id ?? `evt_test${events}`,
        type,
        created_at: nowIso(clock),
        data: isUpdate ? { object, previous_attributes: previous ?? {} } : { object },
        api_version: versionOf(type),
      };
    },
  };
}

function versionOf(type: EventType): string {
  const found = Object.entries(EVENT_API_VERSIONS).find(([entity]) =>
    type.startsWith(`${entity}.`),
  );
  return found?.[1] ?? 'v1';
}

function plainAlert(clock: Clock, number: number): Alert {
  const at = (offsetMs: number): string => new Date(clock.nowMs() + offsetMs).toISOString();
  return {
    id: `netalrt_test${number}`,
    organisation_id: 'org_test',
    merchant_id: 'mer_test',
    merchant_ids: ['mer_test'],
    enrolment_id: 'enr_test',
    enrolment_type: 'NETA_ALERT',
    status: 'ACTION_REQUIRED',
    note: null,
    action_required_deadline: at(2 * DAY_MS),
    transaction_amount_in_cents: 2_900,
    transaction_currency_code: 'USD',
    transaction_authorised_at: at(-DAY_MS),
    transaction_authorisation_code: '004711',
    transaction_acquirer_reference_number: '74537604221222100000001',
    transaction_statement_descriptor: 'DEMO STORE',
    transaction_card_bin: '411111',
    transaction_card_last4: '1111',
    transaction_card_issuer: null,
    transaction_card_scheme: 'SCHEME_A',
    transaction_network_id: null,
    chargeback_reason_code: null,
    transaction_refund_outcome: null,
    subscription_cancel_outcome: null,
    integration_id: null,
    integration_transaction_id: null,
    created_at: at(0),
    updated_at: at(0),
  };
}
