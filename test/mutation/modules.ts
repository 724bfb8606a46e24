/**
 * What the mutation run breaks, and which tests must notice: one row per module that moves money or
 * decides trust. All of it is pure; what is SQL is broken by hand in `planted.ts`.
 */

/** A module, by the name that `--only` takes. */
export interface MutatedModule {
  /** Sources to be broken, below the project. */
  readonly mutate: readonly string[];
  /** The tests that speak of them, without those that run thousands of cases: each change runs them anew. */
  readonly tests: readonly string[];
}

export const MODULES = {
  signature: {
    mutate: ['src/receive/signature.ts'],
    tests: ['test/unit/receive/signature.test.ts'],
  },
  saga: {
    mutate: [
      'src/refund/assess-charge.ts',
      'src/refund/unknown-rule.ts',
      'src/refund/retry-ladder.ts',
      'src/refund/refund-cover.ts',
      'src/ledger/movement-state.ts',
      'src/cases/case-state.ts',
    ],
    tests: [
      'test/unit/refund/assess-charge.test.ts',
      'test/unit/refund/unknown-rule.test.ts',
      'test/unit/refund/retry-ladder.test.ts',
      'test/unit/refund/refund-state.test.ts',
    ],
  },
  declare: {
    mutate: [
      'src/declare/accept-grounds.ts',
      'src/declare/classify-answer.ts',
      'src/declare/client-alert-service.ts',
    ],
    tests: ['test/unit/declare/*.test.ts'],
  },
  guards: {
    mutate: [
      'src/decide/guards.ts',
      'src/decide/money-guards.ts',
      'src/decide/money-state.ts',
      'src/guard/caps.ts',
      'src/guard/breaker.ts',
    ],
    tests: ['test/unit/decide/*.test.ts', 'test/unit/guard/*.test.ts'],
  },
  policy: {
    mutate: [
      'src/policy/evaluate.ts',
      'src/policy/conditions.ts',
      'src/policy/field-conditions.ts',
      'src/policy/text-conditions.ts',
      'src/policy/outcomes.ts',
      'src/policy/rates.ts',
      'src/policy/units.ts',
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
      'src/match/matcher.ts',
      'src/match/tiers.ts',
      'src/match/compare.ts',
      'src/match/compare-amount.ts',
      'src/match/merge-candidates.ts',
      'src/match/choice.ts',
    ],
    tests: [
      'test/unit/match/compare.test.ts',
      'test/unit/match/weak-signs.test.ts',
      'test/unit/match/choice.test.ts',
      'test/unit/match/matcher.test.ts',
    ],
  },
  budget: {
    mutate: ['src/client/budget.ts', 'src/client/budget-queue.ts'],
    tests: ['test/unit/client/budget.test.ts'],
  },
  masking: {
    mutate: ['src/kernel/mask-cards.ts', 'src/kernel/card-number.ts'],
    tests: ['test/unit/kernel/mask-cards.test.ts', 'test/unit/kernel/card-number.test.ts'],
  },
  sweep: {
    mutate: ['src/cases/deadline-alarms.ts'],
    tests: ['test/unit/cases/*.test.ts'],
  },
} as const satisfies Record<string, MutatedModule>;

export type ModuleName = keyof typeof MODULES;

export const MODULE_NAMES = Object.keys(MODULES).filter(isModuleName);

/** Whether `name` is a row of the table. */
export function isModuleName(name: string): name is ModuleName {
  return Object.hasOwn(MODULES, name);
}
