/**
 * The work of one organisation: every stage after receive, put together in the order of the flow.
 *
 * Each stage's work becomes a loop (`workers.ts`), woken by what makes its rows due and by one look every two
 * seconds at what falls due for any of them.
 */
import { APPLY_BATCH, createApplier, SHARED_APPLY_BATCH } from '../../alerts/apply/apply.job.ts';
import { createApplyRead } from '../../alerts/apply/apply-read.ts';
import { hasDueCases } from '../../alerts/cases/case-claim.store.ts';
import { createCaseRunner } from '../../alerts/cases/case-runner.ts';
import { withClaims } from '../../alerts/cases/claim-service.ts';
import { createClientAlertService } from '../../alerts/cases/client-alert-service.ts';
import { maskingProcessor } from '../../alerts/cases/masking-processor.ts';
import { createOpenAlerts } from '../../alerts/cases/open-alerts.ts';
import { createDecideSteps } from '../../alerts/decide/decide.job.ts';
import type { DecideDeps } from '../../alerts/decide/decide-deps.ts';
import { createHeldStep } from '../../alerts/decide/held.job.ts';
import { createAnswerAgain } from '../../alerts/declare/answer-again.ts';
import { createDeclareSteps } from '../../alerts/declare/declare-steps.ts';
import { createRefusedKeyLoop } from '../../alerts/declare/refused-key.job.ts';
import { evidenceRules } from '../../alerts/evidence/setting.ts';
import { DEFAULT_GUARDS } from '../../alerts/guard/guard-settings.ts';
import type { ProcessorWatch } from '../../alerts/guard/processor-watch.ts';
import { ASK_AGAIN_MS, createProcessorWatch } from '../../alerts/guard/processor-watch.ts';
import { DEFAULT_REFUND_SETTINGS } from '../../alerts/guard/refund-settings.ts';
import { MOVEMENT_TOPIC } from '../../alerts/ledger/movement.store.ts';
import { hasDueMovements } from '../../alerts/ledger/movement-lease.store.ts';
import type { SamePartRule } from '../../alerts/ledger/same-dispute.ts';
import type { MatchDeps } from '../../alerts/match/match.job.ts';
import { createMatchStep } from '../../alerts/match/match.job.ts';
import { DEFAULT_MATCH_SETTINGS } from '../../alerts/match/match-settings.ts';
import { createLocateCharge, createRematch } from '../../alerts/match/rematch.job.ts';
import { INBOX_TOPIC } from '../../alerts/receive/inbox-wake.ts';
import { hasWork } from '../../alerts/receive/inbox-work.store.ts';
import type { RecoveryWatch } from '../../alerts/recovery-check/recovery-check.job.ts';
import { createRecoveryCheck } from '../../alerts/recovery-check/recovery-check.job.ts';
import { createMovementRunner } from '../../alerts/refund/movement-runner.ts';
import { reconcileRdr } from '../../alerts/refund/network-money.ts';
import { createRefundSteps } from '../../alerts/refund/refund-steps.ts';
import type { SagaDeps } from '../../alerts/refund/saga-deps.ts';
import { readDue } from '../../base/jobs/due.store.ts';
import type { LoopSpec } from '../../base/jobs/loop.ts';
import { SAFETY_MS } from '../../base/jobs/loop.ts';
import type { OwnSlots } from '../../base/jobs/shared-slots.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { CAPABILITIES } from '../../capabilities/index.ts';
import type { Processor } from '../../service/wire/processor.ts';
import type { NightStep } from '../../surface/capability.ts';
import type { StageName, StageWork } from '../flow.ts';
import { registerFlow } from '../flow.ts';
import { capabilityWork } from './capability-work.ts';
import { createFeedLoops } from './feed-loops.ts';
import type { MerchantView } from './merchants.ts';
import { viewMerchants } from './merchants.ts';
import { createNightLoop } from './nightly.ts';
import type { OrganisationParts } from './parts.ts';
import { installationOf } from './parts.ts';
import { createReconciliation, createTimedLoops } from './timed-loops.ts';
import type { WorkOptions } from './work-options.ts';

/** Where several organisations share slots: for cases, and for refunds under way. */
export interface WorkSlots {
  readonly cases: OwnSlots;
  readonly movements: OwnSlots;
}

type Night = Readonly<Record<'beforeRetention' | 'nightly', readonly NightStep[]>>;

/** Everything a worker runs, not yet running. */
export interface Work {
  readonly loops: readonly LoopSpec[];
  /** The loops with a condition that may find something now, asked together as `due-look.ts` does. */
  due(): Promise<ReadonlySet<LoopSpec>>;
  /** What capabilities do at night. */
  readonly night: Night;
  /** Before the first loop starts: whether a recovery check is needed. */
  readonly watch: RecoveryWatch['watch'];
  /** Its signs of life, where one statement writes those of many organisations. */
  readonly signs: Pick<RecoveryWatch, 'lastSign' | 'signed'>;
  /** Ends waits under way, before the loops are stopped. */
  abort(): void;
  /** Gives back what this process holds in the cluster. */
  release(): Promise<void>;
}

/** Puts the worker together. Tests drain the loops by hand; `workers.ts` runs them. */
export function createWork(
  parts: OrganisationParts,
  unwatched: WorkOptions,
  slots?: WorkSlots,
): Work {
  const { log, organisationId, workerId, clock, database } = parts;
  const watch = createProcessorWatch(installationOf(parts, 'processor'));
  const given = watchProcessors(watch, unwatched);
  const stop = new AbortController();
  const view = viewMerchants(parts, given);
  const options: LaidOut = { ...given, processor: view.processor, view, slots };
  const flow = registerFlow({
    ...stagesOfCapabilities(parts, options),
    ...createStages(parts, options, stop.signal),
  });
  const runner = createCaseRunner({
    db: database.db,
    clock,
    log: log.child({ part: 'cases' }),
    organisationId,
    workerId,
    steps: flow.steps,
    obstacleTo: view.obstacleTo,
    slots: slots?.cases,
  });
  const saga = createSagaDeps(parts, options);
  const answerAgain = createAnswerAgain(saga);
  const reconciliation = createReconciliation(parts, { ...options, answerAgain }, stop.signal);
  const recovery = createRecoveryCheck(saga);
  const night = nightOf(parts, options);
  const loops: LoopSpec[] = [
    recovery.spec,
    ...flow.loops,
    { name: 'cases', ...runner, idleMs: SAFETY_MS, wakeOn: ['case'], isDue: hasDueCases },
    ...createTimedLoops(parts, options),
    createNightLoop(installationOf(parts, 'night'), { ofCapabilities: night }),
    reconciliation.spec,
    { name: 'processor', idleMs: ASK_AGAIN_MS, runOnce: () => watch.askAgain() },
  ];
  const looked = loops.flatMap((loop) =>
    loop.isDue === undefined ? [] : [{ loop, isDue: loop.isDue }],
  );
  return {
    loops,
    async due(): Promise<ReadonlySet<LoopSpec>> {
      const scope = { organisationId, now: nowDate(clock) };
      const conditions = looked.map(({ isDue }) => isDue);
      const due = await readDue(database.db, scope, conditions);
      return new Set(looked.flatMap(({ loop }, place) => (due[place] === true ? [loop] : [])));
    },
    night,
    watch: recovery.watch,
    signs: recovery,
    abort: () => stop.abort(),
    release: reconciliation.release,
  };
}

/** What becomes of calls to the organisation's processor, and to those of merchants, is noted, without what must not be kept. */
function watchProcessors(watch: ProcessorWatch, options: WorkOptions): WorkOptions {
  const { processor, merchants } = options;
  const watched = (each: Processor): Processor => watch.watched(maskingProcessor(each));
  return {
    ...options,
    processor: watched(processor),
    ...(merchants === undefined
      ? {}
      : {
          merchants: merchants.map((each) => ({
            ...each,
            ...(each.processor === undefined ? {} : { processor: watched(each.processor) }),
          })),
        }),
  };
}

/** What capabilities do at night. */
function nightOf(parts: OrganisationParts, options: WorkOptions): Night {
  const stepsOf = (when: 'beforeRetention' | 'nightly'): NightStep[] =>
    CAPABILITIES.flatMap((capability) => [
      ...(capability[when]?.(capabilityWork(parts, options, capability.name)) ?? []),
    ]);
  return { beforeRetention: stepsOf('beforeRetention'), nightly: stepsOf('nightly') };
}

/** The options, with the merchants seen as one: the processor is that of each charge's merchant. */
interface LaidOut extends WorkOptions {
  readonly view: MerchantView;
  readonly slots: WorkSlots | undefined;
}

function createStages(
  parts: OrganisationParts,
  options: LaidOut,
  stop: AbortSignal,
): Record<StageName, StageWork> {
  const { database, clock, organisationId, brandTokens } = parts;
  const { db } = database;
  const { processor, view, mode } = options;
  const matching = createMatchDeps(parts, options);
  const saga = createSagaDeps(parts, options);
  const applier = createApplier({
    db,
    clock,
    log: parts.log.child({ part: 'apply' }),
    organisationId,
    brandTokens,
    isShared: options.slots !== undefined,
  });
  const refunds = createMovementRunner(saga, options.slots?.movements);
  const deciding: DecideDeps = {
    db,
    clock,
    organisationId,
    processor,
    mode,
    asksBlocked: true,
    evidence: options.settings?.of(evidenceRules),
    currentPolicy: view.policyOf,
    get samePart(): SamePartRule {
      return saga.settings.samePart;
    },
    policyBeside: () => options.policyBeside?.current() ?? null,
    rematch: createRematch(matching),
  };
  return {
    receive: {},
    apply: {
      loops: [
        {
          name: 'apply',
          runOnce: () => applier.drainOnce(),
          fullAt: options.slots === undefined ? APPLY_BATCH : SHARED_APPLY_BATCH,
          idleMs: SAFETY_MS,
          wakeOn: [INBOX_TOPIC],
          isDue: hasWork,
        },
      ],
    },
    match: { steps: { RECEIVED: createMatchStep(matching) } },
    decide: { steps: { ...createDecideSteps(deciding), HUMAN: createHeldStep(deciding) } },
    refund: {
      steps: createRefundSteps(saga),
      loops: [
        {
          name: 'refunds',
          ...refunds,
          idleMs: SAFETY_MS,
          wakeOn: [MOVEMENT_TOPIC],
          isDue: hasDueMovements,
        },
      ],
    },
    declare: { steps: createDeclareSteps(saga), loops: [createRefusedKeyLoop(saga)] },
    feed: { loops: createFeedLoops(parts, stop) },
    reconcile: {},
  };
}

/** The loops of those that are in the flow. */
function stagesOfCapabilities(
  parts: OrganisationParts,
  options: LaidOut,
): Record<string, StageWork> {
  const { sources: claimSources, samePart } = options.view;
  return Object.fromEntries(
    CAPABILITIES.flatMap(({ name, stage }): [string, StageWork][] => {
      if (stage === undefined) return [];
      const work = { ...capabilityWork(parts, options, name), claimSources, samePart };
      return [[name, { loops: stage.loops(work) }]];
    }),
  );
}

function createMatchDeps(
  parts: OrganisationParts,
  { processor, matching, view }: LaidOut,
): MatchDeps {
  const { database, clock, organisationId, brandTokens } = parts;
  return {
    db: database.db,
    clock,
    organisationId,
    processor,
    reconcileRdr,
    settings: matching ?? { ...DEFAULT_MATCH_SETTINGS, brands: brandTokens.map },
    settingsOf: view.matchingOf,
  };
}

function createSagaDeps(parts: OrganisationParts, options: LaidOut): SagaDeps {
  const { database, clock, organisationId, workerId } = parts;
  return {
    db: database.db,
    clock,
    log: parts.log.child({ part: 'saga' }),
    organisationId,
    workerId,
    processor: options.processor,
    alerts: withClaims(createClientAlertService(parts.client.alerts), {
      db: database.db,
      organisationId,
      clock,
    }),
    applyAlertSnapshot: createApplyRead({ db: database.db, organisationId, clock }),
    openAlerts: createOpenAlerts(),
    settings: {
      ...DEFAULT_REFUND_SETTINGS,
      guards: options.guard?.guards ?? DEFAULT_GUARDS,
      layers: options.layers,
      // The policy may be replaced while the worker runs.
      get samePart(): SamePartRule {
        return options.view.samePart();
      },
    },
    sharesAccountWith: options.sharesAccountWith,
    shadow: options.mode === 'shadow',
    locateCharge: createLocateCharge(createMatchDeps(parts, options)),
  };
}
