/** Bugs planted in the constraints by which the database itself keeps the ledger's rules. */
import type { PlantedBug } from './plants.ts';

export const LEDGER_BUGS: readonly PlantedBug[] = [
  {
    name: 'the database lets more go back than was captured (L1)',
    file: 'migrations/0057_erased_references.sql',
    find: 'elsewhere_minor + new.amount_minor > charge_account_row.amount_minor',
    put: 'elsewhere_minor > charge_account_row.amount_minor',
    test: 'integration/cases/transition-tables.test.ts',
    only: 'L1',
  },
  {
    name: 'the database lets two requests of a charge be unanswered (L2)',
    file: 'migrations/0012_ledger_breaking.sql',
    find: 'create unique index movement_in_flight',
    put: 'create index movement_in_flight',
    test: 'integration/cases/transition-tables.test.ts',
    only: 'L2',
  },
  {
    name: 'the database lets more go back than a dispute is about (L3)',
    file: 'migrations/0057_erased_references.sql',
    find: 'elsewhere_minor + new.amount_minor > dispute_row.amount_minor',
    put: 'elsewhere_minor > dispute_row.amount_minor',
    test: 'integration/cases/transition-tables.test.ts',
    only: 'L3',
  },
  {
    name: 'the database lets money go for an accepted dispute (L5)',
    file: 'migrations/0057_erased_references.sql',
    find: "and d.action = 'ACCEPT_DISPUTE' and d.state in ('DUE', 'SENT', 'DONE')",
    put: "and d.action = 'ACCEPT_DISPUTE' and d.state = 'NEVER'",
    test: 'integration/cases/transition-tables.test.ts',
    only: 'L5',
  },
  {
    name: 'the database lets a refunded dispute be accepted (L5)',
    file: 'migrations/0012_ledger_breaking.sql',
    find: "if new.action = 'ACCEPT_DISPUTE' and new.state = 'DUE' and new.despite_minor = 0 and exists (",
    put: "if new.action = 'NEVER' and exists (",
    test: 'integration/cases/transition-tables.test.ts',
    only: 'L5',
  },
];
