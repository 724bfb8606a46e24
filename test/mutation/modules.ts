/**
 * What the mutation run breaks, and which tests must notice: one row per module that moves money or
 * decides trust. Most of it is pure; what is SQL is broken by hand in `planted.ts`.
 */

/** A module, by the name that `--only` takes. */
export interface MutatedModule {
  /** Sources to be broken, below the project; `file.ts#name`: that function of it alone. */
  readonly mutate: readonly string[];
  /** The tests that speak of them, without those that run thousands of cases: each change runs them anew. */
  readonly tests: readonly string[];
  /** Whether they need PostgreSQL: then a change takes a second or two. */
  readonly database?: boolean;
}

export const MODULES = {
  signature: {
    mutate: ['src/alerts/receive/signature.ts'],
    tests: ['test/unit/receive/signature.test.ts'],
  },
  saga: {
    mutate: [
      'src/alerts/refund/unknown-rule.ts',
      'src/alerts/refund/retry-ladder.ts',
      'src/alerts/refund/refusal.ts',
      'src/alerts/cases/claim.ts',
      'src/service/processor/standing-refund.ts',
      'src/alerts/cases/case-state.ts',
    ],
    tests: ['test/unit/refund/!(http-processor).test.ts', 'test/unit/cases/*.test.ts'],
  },
  ledger: {
    mutate: [
      'src/alerts/ledger/ledger.ts',
      'src/alerts/ledger/verdict.ts',
      'src/alerts/ledger/allocate.ts',
      'src/alerts/ledger/same-dispute.ts',
      'src/alerts/ledger/reading-changes.ts',
      'src/alerts/ledger/movement-state.ts',
      'src/alerts/ledger/movement-key.ts',
      'src/alerts/ledger/accept-objection.ts',
      'src/alerts/ledger/paid-too-often.ts',
      'src/alerts/ledger/reference.ts',
      'src/alerts/ledger/unchanged.ts',
      'src/alerts/review/offered-actions.ts',
      'src/alerts/review/persons-verdict.ts',
    ],
    tests: [
      'test/unit/ledger/*.test.ts',
      'test/unit/decide/*.test.ts',
      'test/unit/review/*.test.ts',
    ],
  },
  declare: {
    mutate: [
      'src/alerts/declare/declare-steps.ts#meaningOf',
      'src/alerts/cases/client-alert-service.ts',
    ],
    tests: ['test/unit/declare/*.test.ts'],
  },
  reopened: {
    mutate: ['src/alerts/declare/answer-again.ts', 'src/alerts/reconcile/open-again.ts'],
    tests: ['test/integration/declare/open-again*.test.ts'],
    database: true,
  },
  acceptance: {
    mutate: ['src/alerts/declare/decided-accept-step.ts', 'src/alerts/refund/no-refund.ts'],
    tests: [
      'test/unit/declare/accept-grounds.test.ts',
      'test/unit/refund/no-refund.test.ts',
      'test/integration/declare/acceptance.test.ts',
      'test/integration/ledger/waiting-acceptance.test.ts',
      'test/integration/ledger/accepted-without-charge.test.ts',
      'test/integration/guard/shared-account.test.ts',
    ],
    database: true,
  },
  guards: {
    mutate: [
      'src/alerts/decide/guards.ts',
      'src/alerts/decide/money-guards.ts',
      'src/alerts/decide/money-state.ts',
      'src/alerts/guard/caps.ts',
      'src/alerts/guard/breaker.ts',
      'src/alerts/guard/complaint-sum.ts',
      'src/alerts/guard/second-person.ts',
    ],
    tests: ['test/unit/decide/*.test.ts', 'test/unit/guard/*.test.ts'],
  },
  sending: {
    mutate: ['src/alerts/guard/check-movement.ts'],
    tests: [
      'test/unit/guard/needs-approval.test.ts',
      // Those of whole worlds and of races take long and begin with a database that nobody has used.
      'test/integration/guard/check-movement.test.ts',
    ],
    database: true,
  },
  words: {
    mutate: [
      'src/alerts/review/older-money.ts',
      'src/alerts/review/operator-money.ts',
      'src/alerts/review/operator-statements.ts',
    ],
    tests: [
      'test/unit/review/older-money.test.ts',
      // First the one that speaks of them alone: most changes go no further.
      'test/integration/review/what-people-decide.test.ts',
      'test/integration/ledger/statements.test.ts',
      'test/integration/ledger/said-amiss.test.ts',
      'test/integration/ledger/named-once.test.ts',
      'test/integration/ledger/doubtful-charge.test.ts',
    ],
    database: true,
  },
  policy: {
    mutate: [
      'src/policy/evaluate.ts',
      'src/policy/conditions.ts',
      'src/policy/field-conditions.ts',
      'src/policy/text-conditions.ts',
      'src/policy/outcomes.ts',
      'src/policy/rates.ts',
      'src/base/kernel/units.ts',
    ],
    tests: [
      'test/unit/policy/conditions.test.ts',
      'test/unit/policy/errors.test.ts',
      'test/unit/policy/policy.test.ts',
      'test/unit/policy/examples.test.ts',
      'test/unit/policy/explain.test.ts',
    ],
  },
  matcher: {
    mutate: [
      'src/alerts/match/matcher.ts',
      'src/alerts/match/tiers.ts',
      'src/alerts/match/compare.ts',
      'src/alerts/match/compare-amount.ts',
      'src/alerts/match/merge-candidates.ts',
      'src/alerts/match/choice.ts',
    ],
    tests: [
      'test/unit/match/compare.test.ts',
      'test/unit/match/weak-signs.test.ts',
      'test/unit/match/choice.test.ts',
      'test/unit/match/meant.test.ts',
      'test/unit/match/matcher.test.ts',
    ],
  },
  budget: {
    mutate: ['src/service/client/budget.ts', 'src/service/client/budget-queue.ts'],
    tests: ['test/unit/client/budget.test.ts'],
  },
  masking: {
    mutate: ['src/base/kernel/card-number.ts', 'src/base/kernel/card-number.ts'],
    tests: ['test/unit/kernel/mask-cards.test.ts', 'test/unit/kernel/card-number.test.ts'],
  },
  sweep: {
    mutate: ['src/alerts/cases/deadline-sweep.ts'],
    tests: ['test/unit/cases/*.test.ts'],
  },
} as const satisfies Record<string, MutatedModule>;

export type ModuleName = keyof typeof MODULES;

export const MODULE_NAMES = Object.keys(MODULES).filter(isModuleName);

/** Whether `name` is a row of the table. */
export function isModuleName(name: string): name is ModuleName {
  return Object.hasOwn(MODULES, name);
}
