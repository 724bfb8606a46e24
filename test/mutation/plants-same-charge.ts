/** Bugs of which alert is about which charge, and of alerts whose case has ended: mostly conditions in SQL. */
import type { PlantedBug } from './plants.ts';

const RDR_TEST = 'integration/refund/reconcile-rdr.test.ts';
const FILE = 'alerts/ledger/same-charge.ts';

export const SAME_CHARGE_BUGS: readonly PlantedBug[] = [
  {
    name: 'what waits is fetched only where the card digits agree',
    file: FILE,
    find: '\n    union ${alerts} and a.acquirer_reference_number = c.acquirer_reference_number\n',
    put: '\n',
    test: 'integration/ledger/waiting-facts.test.ts',
  },
  {
    name: 'an alert without the digits of a card is not found by its sum',
    file: FILE,
    find: "\n    union ${sums} and ${lacksCard('a')}",
    put: '',
    test: 'integration/ledger/waiting-facts.test.ts',
  },
  {
    name: 'what a person named another charge for is in doubt',
    file: FILE,
    find: "  if (chosen !== null && chosen !== charge.reference) return 'not';\n",
    put: '',
    test: RDR_TEST,
  },
  {
    name: 'what may be the charge’s is taken over as what is',
    file: 'alerts/ledger/adopt.store.ts',
    find: " && each.meant === 'named')",
    put: " && each.meant !== 'not')",
    test: 'integration/ledger/accepted-without-charge.test.ts',
  },
  {
    name: 'an acceptance that was decided goes on beside a refund of a charge that it may be about',
    file: 'alerts/ledger/adopt.store.ts',
    find: ' and k.alert_id = any(${inDoubt})',
    put: ' and k.alert_id = any(${[...inDoubt].slice(inDoubt.length)})',
    test: 'integration/ledger/doubtful-charge.test.ts',
  },
  {
    name: 'network money that was taken back, or let through, is in doubt',
    file: FILE,
    find: "(a.status <> 'INVALID' and a.refund_outcome is distinct from 'NOT_REFUNDED')",
    put: '(true)',
    test: RDR_TEST,
  },
  {
    name: 'network money is not in doubt on the payment that was named',
    file: 'alerts/match/matcher.ts',
    find: "  if (verdicts.transaction_reference === 'agrees') return true;\n",
    put: '',
    test: 'unit/match/meant.test.ts',
  },
  {
    name: 'network money that is booked on another charge is in no doubt',
    file: FILE,
    find: "meant === 'named' || meant === 'contradicted'",
    put: "meant === 'named'",
    test: RDR_TEST,
  },
  {
    name: 'network money is in doubt on the charge on which it is booked',
    file: FILE,
    find: 'm.charge_reference <> c.reference and ',
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
    file: 'alerts/reconcile/open-again.store.ts',
    find: ' and last_seen_at >= ${seenBefore})',
    put: ' and last_seen_at is null and ${seenBefore}::timestamptz is not null)',
    test: 'integration/declare/open-again.test.ts',
  },
  {
    name: 'the finding about an alert that left the list stays',
    file: 'alerts/reconcile/open-again.store.ts',
    find: 'not subject_id = any(${listed}))',
    put: 'subject_id is null and not subject_id = any(${listed}))',
    test: 'integration/declare/open-again.test.ts',
  },
  {
    name: 'an alert whose case is open is taken for open again',
    file: 'alerts/reconcile/open-again.store.ts',
    find: ' and not c.is_open',
    put: '',
    test: 'integration/declare/open-again.test.ts',
  },
];
