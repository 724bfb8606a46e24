/** The inventory of what came in: events, and the service's objects as last heard of. */
import type { TableEntry } from '../../base/db/table-entry.ts';
import { CASE_DAYS, entry, RAW_DAYS } from '../../base/db/table-entry.ts';

const SNAPSHOT = { snapshot: 'json' } as const;

export const RECEIVED_TABLES: Readonly<Record<string, TableEntry>> = {
  inbox_id: entry('every event id accepted, so that a repeat is known', 'ledger', {
    plain: 'event_id body_hash',
  }),
  inbox_event: entry('the signed bytes of each webhook, for replay and proof', RAW_DAYS, {
    plain: 'event_id subscription secret_id key_id event_type object_id',
    personal: { body: 'bytes', delivery_id: 'text' },
    sealed: ['body'],
  }),
  inbox_work: entry('events still to be applied', 'current', { plain: 'event_id' }),
  quarantine: entry('signed deliveries without effect, until somebody has looked', RAW_DAYS, {
    plain: 'event_id reason resolved_by key_id body_hash',
    personal: { body: 'bytes', detail: 'text' },
    sealed: ['body'],
  }),
  delivery_minute: entry(
    'repeated and refused deliveries by the minute, with lengths and hashes of some',
    RAW_DAYS,
    { plain: 'verdict', personal: { examples: 'json' } },
  ),
  poll_request: entry('alerts to be read from the service once', 'current', {
    plain: 'alert_id reason',
  }),
  alert: entry('each alert as last heard of', CASE_DAYS, {
    plain:
      'id status enrolment_type enrolment_id merchant_id currency authorisation_code acquirer_reference_number descriptor card_bin card_last4 card_issuer card_scheme network_id reason_code refund_outcome subscription_cancel_outcome integration_id integration_transaction_id snapshot_hash source',
    personal: { ...SNAPSHOT, note: 'text' },
  }),
  lookup: entry('each lookup as last heard of', CASE_DAYS, {
    plain:
      'id type enrolment_id parent_lookup_id lookup_status deflection_status currency acquirer_reference_number integration_id integration_transaction_id snapshot_hash source',
    personal: SNAPSHOT,
  }),
  enrolment: entry('each enrolment as last heard of', 'current', {
    plain: 'id type status snapshot_hash source',
    personal: { ...SNAPSHOT, note: 'text' },
  }),
  representment: entry('each representment as last heard of', CASE_DAYS, {
    plain:
      'id merchant_id dispute_status dispute_stage currency transaction_reference_id acquirer_reference_number snapshot_hash source',
    personal: SNAPSHOT,
  }),
  scheme_notice: entry('each scheme notice as last heard of', CASE_DAYS, {
    plain:
      'id merchant_id scheme_notice_type notice_type scheme currency card_bin card_last4 acquirer_reference_number snapshot_hash source',
    personal: SNAPSHOT,
  }),
  entity_change: entry('what changed on each of them, and by which word', CASE_DAYS, {
    plain: 'entity entity_id source event_id',
    personal: { before: 'json', after: 'json' },
  }),
};
