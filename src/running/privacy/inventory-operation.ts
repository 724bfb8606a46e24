/** The inventory of what keeps the installation running: people, messages, findings, settings. */
import type { TableEntry } from '../../base/db/table-entry.ts';
import { CASE_DAYS, entry, RAW_DAYS } from '../../base/db/table-entry.ts';

/** What guards and people add to an alert. */
const WORK_TABLES: Readonly<Record<string, TableEntry>> = {
  refund_approval: entry('large refunds that two people must agree to', 'ledger', {
    plain: 'alert_id kind charge_reference movement_id reference currency state settled_because',
  }),
  refund_approver: entry('who agreed to them', 'ledger', { plain: 'person operator' }),
  refund_customer: entry('refunds per customer, by hash, for the caps', CASE_DAYS, {
    plain: 'identity movement_id',
  }),
  refund_breaker: entry('whether failures have stopped refunds', 'current', { plain: '' }),
  money_pause: entry('who stopped refunds, and why', 'current', {
    plain: 'paused_by',
    personal: { reason: 'text' },
  }),
  blocked_customer: entry('customers who are not refunded by policy, by hash', 'current', {
    plain: 'identity blocked_by alert_id',
  }),
  review_claim: entry('who looks at a held alert', 'current', { plain: 'alert_id operator' }),
  review_comment: entry('what people wrote about it', CASE_DAYS, {
    plain: 'alert_id operator',
    personal: { text: 'text' },
  }),
  side_action: entry('subscriptions cancelled, shipments stopped', CASE_DAYS, {
    plain: 'id alert_id kind cause state',
    personal: { subject: 'text', detail: 'json', last_error: 'text' },
  }),
  side_action_due: entry('alerts whose side actions are still to be made', 'current', {
    plain: 'alert_id',
  }),
};

/** What is compared, counted and reported. */
const REPORT_TABLES: Readonly<Record<string, TableEntry>> = {
  finding: entry('where the three books differ', CASE_DAYS, {
    plain: 'kind severity subject subject_id',
    personal: { evidence: 'json', next_step: 'text', repair: 'text' },
  }),
  book_check: entry('when each alert’s books were compared', CASE_DAYS, {
    plain: 'alert_id answer currency',
  }),
  reconcile_request: entry('comparisons asked for', RAW_DAYS, {
    plain: 'id requested_by',
    personal: { report: 'json', error: 'text' },
  }),
  figure: entry('figures of the metrics, kept as rows change', 'current', {
    plain: 'measure label',
  }),
  figure_change: entry('changes of them that are not added up yet', 'current', {
    plain: 'measure label',
  }),
  ratio_standing: entry('where ratios stand, for the policy', 'current', {
    plain: 'merchant_id scheme line',
  }),
  policy_trial_key: entry('what the arms of trials are drawn with, itself sealed', 'ledger', {
    plain: 'key key_id',
  }),
  made_past: entry('which days of a demonstration were made up', 'current', { plain: '' }),
  policy_trial_month: entry('what trials have used of a month', 'ledger', {
    plain: 'experiment currency',
  }),
  notification: entry('messages to the merchant’s people', RAW_DAYS, {
    plain: 'dedupe_key kind severity alert_id channel',
    personal: { text: 'text', last_error: 'text' },
  }),
};

/** The installation itself. */
const INSTALLATION_TABLES: Readonly<Record<string, TableEntry>> = {
  policy_version: entry('each policy that was ever in force', 'ledger', {
    plain: 'version author kind',
    personal: { source: 'text', name: 'text', files: 'json' },
  }),
  policy_activation: entry('when each came into force, and by whom', 'ledger', {
    plain: 'version previous_version author origin approved_by',
  }),
  console_operator: entry('who may use the console; the merchant’s own people', 'current', {
    plain: 'id name role token_hash may name_key email oidc_subject created_by',
  }),
  console_token_link: entry('links by which people make their tokens, once', 'current', {
    plain: 'link_hash operator_id made_by',
  }),
  console_trust: entry('what the console is believed when rights change', 'current', {
    plain: 'console_token_hash',
  }),
  console_refusal: entry('refused sign-ins by minute and address', RAW_DAYS, {
    plain: 'address way',
  }),
  console_right: entry('for which organisations they may act', 'current', {
    plain: 'home operator_id name role created_by',
  }),
  console_sent: entry('forms that people sent, and whether each was carried out', RAW_DAYS, {
    plain: 'id operator state',
  }),
  console_session: entry('who is signed in', 'current', {
    plain: 'id_hash operator_id credential_hash',
  }),
  console_oidc_flow: entry('sign-ins under way', 'current', {
    plain: 'state_hash code_verifier nonce confirms address_hash',
    personal: { next_path: 'text' },
  }),
  console_attempt: entry('wrong sign-ins of the last minutes, by hashed address', 'current', {
    plain: 'key_hash',
  }),
  data_key: entry('which data keys rows may need; no key stands there', 'current', {
    plain: 'key_id check_value',
  }),
  evidence_key: entry('the secret under which evidence is hashed, itself sealed', 'current', {
    plain: 'secret key_id',
  }),
  fact: entry('single values of the installation', 'current', {
    plain: 'name',
    personal: { value: 'json' },
  }),
  request_budget: entry('requests sent within the last minute', 'current', { plain: 'pool' }),
  cluster_lease: entry('which process does what only one may', 'current', { plain: 'name holder' }),
  organisation_lock: entry('what one transaction at a time may do', 'current', { plain: 'name' }),
  worker_heartbeat: entry('which processes live', 'current', { plain: 'worker_id role' }),
};

export const OPERATION_TABLES: Readonly<Record<string, TableEntry>> = {
  ...WORK_TABLES,
  ...REPORT_TABLES,
  ...INSTALLATION_TABLES,
};
