/** Bugs of which alert is about which charge, and of alerts whose case has ended: conditions in SQL. */
import type { PlantedBug } from './plants.ts';

const RDR_TEST = 'integration/refund/reconcile-rdr.test.ts';
const FILE = 'alerts/ledger/same-charge.ts';

export const SAME_CHARGE_BUGS: readonly PlantedBug[] = [
  {
    name: 'another card does not speak against an acquirer reference number',
    file: FILE,
    find: '(coalesce(a.card_last4 = c.card_last4, true)',
    put: '(true',
    test: 'integration/ledger/accepted-without-charge.test.ts',
  },
  {
    name: 'a day far away does not speak against an acquirer reference number',
    file: FILE,
    find: '<= ${sql.lit(apartDays * 86_400)}, true))',
    put: '<= ${sql.lit(apartDays * 86_400_000)}, true))',
    test: 'integration/ledger/accepted-without-charge.test.ts',
  },
  {
    name: 'a greater amount does not speak against an authorisation code',
    file: FILE,
    find: ' or a.amount_minor <= c.amount_minor, true)',
    put: ' or true, true)',
    test: 'integration/ledger/accepted-without-charge.test.ts',
  },
  {
    name: 'an authorisation code of another card names the charge',
    file: FILE,
    find: ' and a.card_last4 = c.card_last4\n  and coalesce(a.currency',
    put: '\n  and coalesce(a.currency',
    test: 'integration/ledger/accepted-without-charge.test.ts',
  },
  {
    name: 'numbers name the charge although the service named another payment',
    file: FILE,
    find: '((a.integration_transaction_id is null or a.integration_id <> c.integration_id)\n  and ',
    put: '(',
    test: 'integration/ledger/accepted-without-charge.test.ts',
  },
  {
    name: 'network money covers a payment that is named, whatever its number',
    file: FILE,
    find: '\n    and coalesce(usable_arn(a.acquirer_reference_number) = usable_arn(c.acquirer_reference_number), true))',
    put: ')',
    test: RDR_TEST,
  },
  {
    name: 'another amount is surely the same complaint',
    file: FILE,
    find: '\n  and a.amount_minor = c.amount_minor and a.currency = c.currency)',
    put: ')',
    test: RDR_TEST,
  },
  {
    name: 'network money that was taken back, or let through, is in doubt',
    file: FILE,
    find: " and a.status <> 'INVALID' and a.refund_outcome is distinct from 'NOT_REFUNDED'",
    put: '',
    test: RDR_TEST,
  },
  {
    name: 'network money is not in doubt on the payment that was named',
    file: FILE,
    find: '\n      union all\n      ${ofCharge(sql`a.integration_transaction_id = c.reference and ${IS_MONEY_OF} is not true`)}',
    put: '',
    test: RDR_TEST,
  },
  {
    name: 'network money is in doubt on the charge on which it is booked',
    file: FILE,
    find: '\n      and m.charge_reference is distinct from ${chargeReference}',
    put: '',
    test: RDR_TEST,
  },
  {
    name: 'a look is noted although the ledger has changed (L9)',
    file: 'alerts/ledger/unchanged.store.ts',
    find: 'exists (select from noted)',
    put: 'true',
    test: 'integration/refund/waiting-look.test.ts',
  },
  {
    name: 'an acceptance does not wait for the refund of an organisation that shares the account',
    file: 'alerts/declare/decided-accept-step.ts',
    find: "  if ('why' in beside) return beside.why;\n",
    put: '',
    test: 'integration/guard/shared-account.test.ts',
  },
  {
    name: 'an alert that is open again is looked at in every round',
    file: 'books/reconcile/open-again.store.ts',
    find: ' and last_seen_at >= ${seenBefore})',
    put: ' and last_seen_at is null and ${seenBefore}::timestamptz is not null)',
    test: 'integration/declare/open-again.test.ts',
  },
  {
    name: 'the finding about an alert that left the list stays',
    file: 'books/reconcile/open-again.store.ts',
    find: 'not subject_id = any(${listed}))',
    put: 'subject_id is null and not subject_id = any(${listed}))',
    test: 'integration/declare/open-again.test.ts',
  },
  {
    name: 'an alert whose case is open is taken for open again',
    file: 'books/reconcile/open-again.store.ts',
    find: ' and not c.is_open',
    put: '',
    test: 'integration/declare/open-again.test.ts',
  },
];
