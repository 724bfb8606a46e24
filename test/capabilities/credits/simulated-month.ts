/**
 * A month of alerts with what really happened to each, told in advance: the truth that the rule and the invoice
 * are compared with. Nothing here asks the code under test; it writes rows and says what they mean.
 */
import type { Kysely } from 'kysely';
import type { Database } from '../../../src/base/db/database.ts';
import { ORG } from '../../integration/reconcile/rows.ts';

/** What happened. The first eight are to be claimed; nothing is for the others. */
const STORIES = [
  'DUPLICATE',
  'OTHER_NETWORK',
  'ALREADY_REFUNDED',
  'CHARGED_BACK',
  'NOT_CAPTURED',
  'NOT_FOUND',
  'NOT_OURS',
  'INVALID',
  'refunded by us',
  'accepted',
  'refunded by support after it came',
  'a part refunded before',
  'charged back after it came',
  'released by us',
  'still open',
  'found by somebody in the dashboard',
  'first of two',
  'another part of the charge',
  'contested before',
  'a part contested before',
  'support refunded it while nobody looked',
  'reported twice and still open',
  'reported again after the first was withdrawn',
  'withdrawn first',
] as const;
export type Story = (typeof STORIES)[number];

/** One alert of the month. */
export interface Outcome {
  readonly alertId: string;
  readonly story: Story;
  readonly network: 'NETA_ALERT' | 'NETB_RDR';
  /** The class of the claim that has to be there; null: none. */
  readonly claim: string | null;
}

/** The first earlier alert comes three hours before its pair, and in this month. */
const START_MS = Date.parse('2026-10-01T00:00:00Z');
const HOUR_MS = 3_600_000;
/** Stories that come with an earlier alert about the same dispute. */
const PAIRED: ReadonlySet<Story> = new Set([
  'DUPLICATE',
  'OTHER_NETWORK',
  'another part of the charge',
  'reported twice and still open',
  'reported again after the first was withdrawn',
]);

/** Stories of the earlier alerts: they come with the later one. */
const FIRSTS: ReadonlySet<Story> = new Set(['first of two', 'withdrawn first']);

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

interface Rows {
  readonly alert: object[];
  readonly alert_case: object[];
  readonly movement: object[];
  readonly charge_account: object[];
  readonly dispute: object[];
  readonly decision: object[];
  readonly match: object[];
  readonly declaration: object[];
  readonly representment: object[];
}

function noRows(): Rows {
  return {
    alert: [],
    alert_case: [],
    movement: [],
    charge_account: [],
    dispute: [],
    decision: [],
    match: [],
    declaration: [],
    representment: [],
  };
}

/** Writes the month of `count` alerts. Returns what is true of each. */
export async function writeMonth(db: Kysely<Database>, count: number): Promise<Outcome[]> {
  const random = seeded(20_261_122);
  const rows = noRows();
  const outcomes: Outcome[] = [];
  for (let number = 0; outcomes.length < count; number++) {
    const story = STORIES[number % STORIES.length] ?? 'accepted';
    if (FIRSTS.has(story)) continue;
    outcomes.push(
      ...write(rows, { story, number, atMs: START_MS + (4 + random() * 30 * 24) * HOUR_MS }),
    );
  }
  await insert(db, rows);
  return outcomes;
}

/** Alerts of earlier and later months, so that a period has edges. */
export async function writeStrangers(db: Kysely<Database>): Promise<string[]> {
  const rows = noRows();
  const edges = [-1, 31 * 24 * HOUR_MS];
  const outcomes = edges.flatMap((offsetMs, index) =>
    write(rows, { story: 'accepted', number: 1_000_000 + index, atMs: START_MS + offsetMs }),
  );
  await insert(db, rows);
  return outcomes.map(({ alertId }) => alertId);
}

async function insert(db: Kysely<Database>, rows: Rows): Promise<void> {
  for (const [table, values] of Object.entries(rows)) {
    for (let start = 0; start < values.length; start += 500) {
      const page = values.slice(start, start + 500);
      await db
        .insertInto(table as keyof Rows)
        .values(page as never)
        .execute();
    }
  }
}

interface Scene {
  readonly story: Story;
  readonly number: number;
  readonly atMs: number;
}

/** Stories that are not over. */
const OPEN: ReadonlySet<Story> = new Set(['still open', 'reported twice and still open']);

/** Stories in which no charge is known. */
const UNKNOWN: ReadonlySet<Story> = new Set([
  'NOT_FOUND',
  'NOT_OURS',
  'found by somebody in the dashboard',
]);

const CHARGE_STATUS: Partial<Record<Story, string>> = {
  NOT_CAPTURED: 'declined',
  'released by us': 'voided',
};

const atHours = (atMs: number, hours: number): string =>
  new Date(atMs + hours * HOUR_MS).toISOString();

function write(rows: Rows, scene: Scene): Outcome[] {
  const { story, number, atMs } = scene;
  const charge = UNKNOWN.has(story) ? null : `ch_${number}`;
  const network = story === 'OTHER_NETWORK' ? 'NETB_RDR' : 'NETA_ALERT';
  const at = (hours: number): string => atHours(atMs, hours);
  const alertId = `netalrt_sim_${number}`;
  const amount = story === 'another part of the charge' ? 1_000 : 2_900;
  rows.alert.push({ ...alertRow(alertId, { network, at: at(0), amount }), ...alertOf(story) });
  const closedAt = OPEN.has(story) ? null : at(30);
  rows.alert_case.push({
    ...caseRow(alertId, { openedAt: at(0), closedAt, deadlineAt: at(48) }),
    state: stateOf(story),
    charge_reference: charge,
    dispute_id: charge === null ? null : `dsp_${number}`,
    answer_note: story === 'NOT_OURS' ? 'not our transaction' : null,
  });
  // Nobody looked for ten hours where the story says so.
  const lookedAt = story === 'support refunded it while nobody looked' ? 10 : 0.01;
  rows.decision.push(decisionRow(alertId, at(lookedAt), 'policy'));
  if (story === 'NOT_OURS') rows.declaration.push(declarationRow(alertId, at(2)));
  rows.match.push(matchRow(alertId, at(0.005), charge));
  if (charge !== null) writeCharge(rows, { ...scene, charge, alertId, amount });
  const outcome: Outcome = { alertId, story, network, claim: claimOf(story) };
  return PAIRED.has(story) && charge !== null
    ? [outcome, writeFirst(rows, { ...scene, charge, alertId, amount })]
    : [outcome];
}

type ChargeScene = Scene & {
  readonly charge: string;
  readonly alertId: string;
  readonly amount: number;
};

function writeCharge(
  rows: Rows,
  { story, number, atMs, charge, alertId, amount }: ChargeScene,
): void {
  rows.dispute.push(disputeRow(`dsp_${number}`, charge, amount));
  rows.charge_account.push(
    accountRow(charge, atHours(atMs, 0.01), CHARGE_STATUS[story] ?? 'captured'),
  );
  const contested = CONTESTED[story];
  if (contested !== undefined) {
    const disputedAt = atHours(atMs, -30);
    rows.representment.push(representmentRow(`rep_${number}`, { charge, disputedAt, contested }));
  }
  const money = moneyOf(story);
  if (money === undefined) return;
  const at = atHours(atMs, money.hours);
  rows.movement.push(movementRow(`mv_${number}`, { charge, alertId, at, ...money }));
}

/** The alert that came three hours before, about the same dispute or another one of the charge. */
function writeFirst(
  rows: Rows,
  { story, number, atMs, charge, alertId, amount }: ChargeScene,
): Outcome {
  const at = (hours: number): string => atHours(atMs, hours);
  const first = `${alertId}_first`;
  const isWithdrawn = story === 'reported again after the first was withdrawn';
  const isAnother = story === 'another part of the charge';
  const disputeId = isAnother ? `dsp_first_${number}` : `dsp_${number}`;
  if (isAnother) rows.dispute.push(disputeRow(disputeId, charge, amount));
  const alert = alertRow(first, { network: 'NETA_ALERT', at: at(-3), amount });
  rows.alert.push(isWithdrawn ? { ...alert, status: 'INVALID' } : alert);
  rows.alert_case.push({
    ...caseRow(first, { openedAt: at(-3), closedAt: at(-2), deadlineAt: at(45) }),
    state: isWithdrawn ? 'CLOSED_INVALID' : 'DECLARED_REFUND',
    charge_reference: charge,
    dispute_id: disputeId,
  });
  rows.decision.push(decisionRow(first, at(-2.9), 'policy'));
  rows.match.push(matchRow(first, at(-2.95), charge));
  const own: Story = isWithdrawn ? 'withdrawn first' : 'first of two';
  return { alertId: first, story: own, network: 'NETA_ALERT', claim: claimOf(own) };
}

/** What was contested on the charge before the alert, in cents. */
const CONTESTED: Partial<Record<Story, number>> = {
  'contested before': 2_900,
  'a part contested before': 900,
};

function claimOf(story: Story): string | null {
  if (story === 'contested before') return 'CHARGED_BACK';
  if (story === 'withdrawn first') return 'INVALID';
  return story === story.toUpperCase() ? story : null;
}

function alertOf(story: Story): object {
  if (story === 'INVALID') return { status: 'INVALID' };
  if (story === 'found by somebody in the dashboard') return { refund_outcome: 'REFUNDED' };
  return OPEN.has(story) ? { status: 'ACTION_REQUIRED' } : {};
}

function stateOf(story: Story): string {
  switch (story) {
    case 'still open':
    case 'reported twice and still open':
      return 'HUMAN';
    case 'INVALID':
      return 'CLOSED_INVALID';
    case 'OTHER_NETWORK':
      return 'RECONCILED_RDR';
    case 'found by somebody in the dashboard':
      return 'CLOSED_REMOTE';
    case 'refunded by us':
    case 'ALREADY_REFUNDED':
    case 'DUPLICATE':
    case 'released by us':
    case 'refunded by support after it came':
      return 'DECLARED_REFUND';
    default:
      return 'DECLARED_ACCEPT';
  }
}

interface MoneyScene {
  readonly kind: 'refund' | 'external' | 'chargeback' | 'void';
  readonly hours: number;
  readonly movedHours?: number;
  readonly amount?: number;
}

/** What moved on the charge, and when, in hours from the alert. */
function moneyOf(story: Story): MoneyScene | undefined {
  const scenes: Partial<Record<Story, MoneyScene>> = {
    ALREADY_REFUNDED: { kind: 'external', hours: 0.01, movedHours: -20 },
    CHARGED_BACK: { kind: 'chargeback', hours: 0.01 },
    'refunded by us': { kind: 'refund', hours: 0.02 },
    'refunded by support after it came': { kind: 'external', hours: 5, movedHours: 4 },
    'support refunded it while nobody looked': { kind: 'external', hours: 9.9 },
    'a part refunded before': { kind: 'external', hours: 0.01, movedHours: -20, amount: 900 },
    'charged back after it came': { kind: 'chargeback', hours: 29 },
    'released by us': { kind: 'void', hours: 0.02 },
  };
  return scenes[story];
}

function alertRow(
  id: string,
  alert: { readonly network: string; readonly at: string; readonly amount: number },
): object {
  return {
    organisation_id: ORG,
    id,
    status: 'RESOLVED',
    enrolment_type: alert.network,
    amount_minor: alert.amount,
    currency: 'USD',
    descriptor: 'FONTSHOP',
    created_at: alert.at,
    updated_at: alert.at,
    snapshot: '{}',
    snapshot_hash: Buffer.from('00', 'hex'),
    source: 'webhook',
    first_seen_at: alert.at,
    changed_at: alert.at,
    refund_outcome: null,
  };
}

function caseRow(
  alertId: string,
  times: {
    readonly openedAt: string;
    readonly closedAt: string | null;
    readonly deadlineAt: string;
  },
): object {
  return {
    organisation_id: ORG,
    alert_id: alertId,
    opened_at: times.openedAt,
    deadline_at: times.deadlineAt,
    next_action_at: times.closedAt === null ? times.deadlineAt : null,
    closed_at: times.closedAt,
    changed_at: times.closedAt ?? times.openedAt,
    answer_note: null,
    hold_reason: times.closedAt === null ? 'policy_review' : null,
  };
}

function decisionRow(alertId: string, at: string, by: string): object {
  return {
    organisation_id: ORG,
    alert_id: alertId,
    action: 'REVIEW',
    decided_by: by,
    sentence: 'as told',
    inputs: '{}',
    decided_at: at,
  };
}

function declarationRow(alertId: string, at: string): object {
  return {
    organisation_id: ORG,
    alert_id: alertId,
    action: 'ACCEPT_DISPUTE',
    note: 'not our transaction',
    state: 'DONE',
    created_at: at,
    changed_at: at,
  };
}

function representmentRow(
  id: string,
  dispute: { readonly charge: string; readonly disputedAt: string; readonly contested: number },
): object {
  return {
    organisation_id: ORG,
    id,
    transaction_reference_id: dispute.charge,
    amount_minor: dispute.contested,
    currency: 'USD',
    dispute_status: 'OPEN',
    updated_at: dispute.disputedAt,
    snapshot: JSON.stringify({ disputed_at: dispute.disputedAt }),
    snapshot_hash: Buffer.from('00', 'hex'),
    source: 'webhook',
    first_seen_at: dispute.disputedAt,
    changed_at: dispute.disputedAt,
  };
}

function matchRow(alertId: string, at: string, charge: string | null): object {
  return {
    organisation_id: ORG,
    alert_id: alertId,
    outcome: charge === null ? 'none' : 'single',
    charge_reference: charge,
    evidence: '{"unanswered": false}',
    candidates: '[]',
    matched_at: at,
  };
}

function disputeRow(id: string, charge: string, amount: number): object {
  return {
    organisation_id: ORG,
    id,
    charge_reference: charge,
    amount_minor: amount,
    currency: 'USD',
    opened_at: '2026-10-01T00:00:00Z',
  };
}

function accountRow(charge: string, at: string, status: string): object {
  return {
    organisation_id: ORG,
    charge_reference: charge,
    status,
    amount_minor: 2_900,
    currency: 'USD',
    read_at: at,
  };
}

function movementRow(
  id: string,
  scene: MoneyScene & { readonly charge: string; readonly alertId: string; readonly at: string },
): object {
  const isOurs = scene.kind === 'refund' || scene.kind === 'void';
  const movedMs =
    Date.parse(scene.at) + ((scene.movedHours ?? scene.hours) - scene.hours) * HOUR_MS;
  return {
    organisation_id: ORG,
    id,
    charge_reference: scene.charge,
    kind: scene.kind,
    state: 'CONFIRMED',
    amount_minor: scene.kind === 'void' ? 0 : (scene.amount ?? 2_900),
    currency: 'USD',
    alert_id: isOurs ? scene.alertId : null,
    idempotency_key: isOurs ? `key_${id}` : null,
    observed_from: isOurs ? null : 'processor',
    first_sent_at: isOurs ? scene.at : null,
    moved_at: scene.movedHours === undefined ? null : new Date(movedMs).toISOString(),
    confirmed_at: scene.at,
    created_at: scene.at,
    changed_at: scene.at,
  };
}
