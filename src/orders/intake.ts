/**
 * Takes orders in: checks their shape, makes their nested references unique, judges their readiness
 * and stores them, all in one transaction with the index of their charges. Nothing is sent here.
 *
 * Durable afterwards: the order, as `WAITING` or `HELD`, its references and its charges. A refusal is
 * data, also when the database refuses an order: the others are stored. Only a database that fails throws.
 */
import { writeAudit } from '../base/audit/audit.store.ts';
import type { Db, Trx } from '../base/db/database.ts';
import { inTransaction } from '../base/db/transaction.ts';
import { nowDate } from '../base/kernel/clock.ts';
import { isRecord } from '../base/kernel/is-record.ts';
import { changeOrder } from './change-order.ts';
import { forgetCorrected } from './charge-index.ts';
import { canonicalJson, differingPaths, hashOfJson } from './compare.ts';
import { isHeldBack } from './feed-brake.store.ts';
import type { IntakeContext } from './intake-context.ts';
import { alarmCardNumbers, announce, referenceIn } from './intake-news.ts';
import type { IntakeResult } from './intake-result.ts';
import { judgement } from './judgement.ts';
import { meetAgain } from './meet-again.ts';
import type { OrderKey } from './nested-reference.store.ts';
import { claimReferences, releaseReferences } from './nested-reference.store.ts';
import { wishedReferences, withReferences } from './nested-reference.ts';
import type { NewOrder, OrderRow } from './order.store.ts';
import { insertOrders, keyOfRow, lockOrders, updateOrder } from './order.store.ts';
import type { OrderBody } from './order-body.ts';
import { CORRECTABLE } from './order-state.ts';
import { claimedPayments, keyOfOrder } from './payment-claims.ts';
import { NO_PROGRAMMES } from './programme.ts';
import type { ReadingTurn } from './reading-turn.ts';
import { beginReading } from './reading-turn.ts';
import { toldBySaga } from './saga-report.ts';
import { storeApart } from './store-apart.ts';
import { readSubmission } from './submission.ts';

/** Orders stored in one transaction: few enough to be quick, many enough to be cheap. */
const CHUNK = 100;

/** Items, payments and the like that are stored in one transaction, but for those of one order: their rows are made at a stretch. */
const CHUNK_ENTRIES = 1_000;

/** Options of {@link acceptOrders}. */
export interface IntakeDeps extends IntakeContext {
  readonly db: Db;
}

/**
 * Takes in any number of orders, at most {@link CHUNK} per transaction; each is asked for when its turn comes. Results are in the
 * order of `inputs`.
 */
export async function acceptOrders(
  deps: IntakeDeps,
  inputs: Iterable<unknown>,
): Promise<IntakeResult[]> {
  const results: IntakeResult[] = [];
  const turn = beginReading();
  for await (const chunk of chunksOf(inputs, turn)) {
    const read = await readInputs(deps, chunk, turn);
    const isRefused = read.open.length === 0 && read.cardNumbers === 0;
    results.push(
      ...(isRefused
        ? read.results.flatMap((result) => result ?? [])
        : await inTransaction(deps.db, (trx) => recordRead(trx, deps, read))),
    );
  }
  return results;
}

async function* chunksOf(
  inputs: Iterable<unknown>,
  turn: ReadingTurn,
): AsyncGenerator<readonly unknown[]> {
  let chunk: unknown[] = [];
  let entries = 0;
  for (const input of inputs) {
    await turn.take();
    entries += entriesOf(input);
    if (chunk.length === CHUNK || (chunk.length > 0 && entries > CHUNK_ENTRIES)) {
      yield chunk;
      chunk = [];
      entries = entriesOf(input);
    }
    chunk.push(input);
  }
  if (chunk.length > 0) yield chunk;
}

/** Entries of the lists in an order. */
function entriesOf(input: unknown): number {
  if (!isRecord(input)) return 0;
  return Object.values(input).reduce<number>(
    (sum, field) => (Array.isArray(field) ? sum + field.length : sum),
    0,
  );
}

interface Submission {
  readonly index: number;
  /** As it was handed in. */
  readonly input: unknown;
  readonly order: OrderBody;
  /** The order as {@link canonicalJson} writes it, and its hash. */
  readonly json: string;
  readonly hash: Buffer;
}

/** What was handed in, as it was read: results of what is refused, each in its place, and what is to be stored. */
interface ReadInputs {
  readonly results: readonly (IntakeResult | undefined)[];
  readonly open: readonly Submission[];
  /** Orders that are refused because they hold one. */
  readonly cardNumbers: number;
}

/** Takes orders in inside a transaction of the caller's. */
export async function recordOrders(
  trx: Trx,
  context: IntakeContext,
  inputs: readonly unknown[],
): Promise<IntakeResult[]> {
  return await recordRead(trx, context, await readInputs(context, inputs, beginReading()));
}

async function readInputs(
  context: IntakeContext,
  inputs: readonly unknown[],
  turn: ReadingTurn,
): Promise<ReadInputs> {
  const results: (IntakeResult | undefined)[] = inputs.map(() => undefined);
  const open: Submission[] = [];
  let cardNumbers = 0;
  for (const [index, input] of inputs.entries()) {
    await turn.take();
    const read = readSubmission(input, {
      organisationId: context.organisationId,
      integrationId: context.integrationId,
    });
    if (read.ok) {
      const json = canonicalJson(read.value);
      open.push({ index, input, order: read.value, json, hash: hashOfJson(json) });
      continue;
    }
    if (read.cardNumber) cardNumbers += 1;
    results[index] = { kind: 'refused', referenceId: referenceIn(input), problems: read.problems };
  }
  return { results, open, cardNumbers };
}

async function recordRead(
  trx: Trx,
  context: IntakeContext,
  read: ReadInputs,
): Promise<IntakeResult[]> {
  const results = [...read.results];
  let { open } = read;
  if (read.cardNumbers > 0) await alarmCardNumbers(trx, context, read.cardNumbers);
  // One round per repetition of a reference, so that the second copy meets the first one stored.
  while (open.length > 0) {
    const round = firstOfEach(open);
    const taken = new Set(round);
    open = open.filter((submission) => !taken.has(submission));
    const outcomes = await storeApart<Submission, IntakeResult>(trx, round, {
      store: (some) => storeRound(trx, context, some),
      refuse: ({ order }, code) => ({
        kind: 'refused',
        referenceId: order.reference_id,
        problems: [{ field: '(order)', problem: `cannot be stored (${code})` }],
      }),
    });
    for (const [place, outcome] of outcomes.entries()) {
      const index = round[place]?.index;
      if (index !== undefined) results[index] = outcome;
    }
  }
  return results.flatMap((result) => result ?? []);
}

function firstOfEach(submissions: readonly Submission[]): Submission[] {
  const names = new Set<string>();
  return submissions.filter(({ order }) => {
    const name = nameOf(order);
    return !names.has(name) && names.add(name);
  });
}

/** Stores submissions of different orders. Results are in their order. */
async function storeRound(
  trx: Trx,
  context: IntakeContext,
  submissions: readonly Submission[],
): Promise<IntakeResult[]> {
  const claimed = await claimedPayments(trx, context, submissions);
  const round = submissions.filter((submission) => !claimed.has(submission));
  const stored = await storeUnclaimed(trx, context, round);
  let place = 0;
  return submissions.flatMap((submission) => claimed.get(submission) ?? stored[place++] ?? []);
}

async function storeUnclaimed(
  trx: Trx,
  context: IntakeContext,
  round: readonly Submission[],
): Promise<IntakeResult[]> {
  const keys = round.map(({ order }) => keyOfOrder(context, order));
  let existing = await lockAll(trx, context, keys);
  const fresh = round.filter(({ order }) => !existing.has(nameOf(order)));
  const rows = await prepare(trx, context, fresh);
  const rowsByName = new Map(rows.map((row) => [nameOf(row), row]));
  const inserted = new Set((await insertOrders(trx, rows)).map(nameOf));
  if (inserted.size < fresh.length) {
    // Another intake stored some of them between our look and our insert.
    existing = await lockAll(trx, context, keys);
  }
  const results: IntakeResult[] = [];
  const stored: OrderBody[] = [];
  const held: string[] = [];
  for (const submission of round) {
    const name = nameOf(submission.order);
    const before = inserted.has(name) ? undefined : existing.get(name);
    const row = rowsByName.get(name);
    const result =
      before === undefined && row !== undefined
        ? resultOfRow('accepted', row)
        : await meetExisting(trx, context, { submission, before });
    results.push(result);
    if (result.kind !== 'accepted' && result.kind !== 'corrected') continue;
    stored.push(submission.order);
    if (result.state === 'HELD') held.push(result.referenceId);
  }
  if (stored.length > 0) await announce(trx, context, { stored, held });
  return results;
}

async function lockAll(
  trx: Trx,
  context: IntakeContext,
  keys: readonly OrderKey[],
): Promise<Map<string, OrderRow>> {
  const rows = await lockOrders(trx, context.organisationId, keys);
  return new Map(rows.map((row) => [nameOf(row), row]));
}

/** Claims references and makes the rows of new orders. */
async function prepare(
  trx: Trx,
  context: IntakeContext,
  submissions: readonly Submission[],
): Promise<NewOrder[]> {
  const wishes = submissions.flatMap(({ order }) => {
    const key = keyOfOrder(context, order);
    return wishedReferences(order).map((wish) => ({ ...wish, order: key }));
  });
  const claimed = wishes.length === 0 ? [] : await claimReferences(trx, wishes);
  const byOrder = Map.groupBy(claimed, ({ order }) =>
    nameOf({ integration_id: order.integrationId, reference_id: order.referenceId }),
  );
  const now = nowDate(context.clock);
  return submissions.map(({ order, json, hash }) => {
    const body = withReferences(order, byOrder.get(nameOf(order)) ?? []);
    return {
      organisation_id: context.organisationId,
      integration_id: order.integration_id,
      reference_id: order.reference_id,
      type: order.type,
      submitted: json,
      submitted_hash: hash,
      body: body === order ? json : JSON.stringify(body),
      ...judgement(body, context.programmes ?? NO_PROGRAMMES),
      next_attempt_at: now,
      accepted_at: now,
      changed_at: now,
    };
  });
}

/** A reference that is there already: the same again, a correction, a change, or a contradiction. */
async function meetExisting(
  trx: Trx,
  context: IntakeContext,
  meeting: { readonly submission: Submission; readonly before: OrderRow | undefined },
): Promise<IntakeResult> {
  const { submission, before } = meeting;
  const { order, hash } = submission;
  if (before === undefined) {
    return { kind: 'refused', referenceId: order.reference_id, problems: [GONE] };
  }
  if (before.submitted_hash.equals(hash)) {
    return {
      kind: 'unchanged',
      referenceId: before.reference_id,
      integrationId: before.integration_id,
      state: before.state,
      reason: before.reason,
      warnings: before.warnings,
    };
  }
  const firstLine = context.firstLineOf?.(submission.input);
  if (firstLine !== undefined) {
    const fields = differingPaths(before.submitted, order).join(', ');
    const problem = `stands on line ${firstLine} already, with another content (${fields}); correct it in a file of its own`;
    return {
      kind: 'refused',
      referenceId: order.reference_id,
      problems: [{ field: 'reference_id', problem }],
    };
  }
  const isCorrectable =
    CORRECTABLE.includes(before.state) || (await isHeldBack(trx, before, nowDate(context.clock)));
  if (!isCorrectable) return await meetAgain(trx, context, { order, before });
  return await correct(trx, context, { submission, before });
}

const GONE = {
  field: 'reference_id',
  problem: 'was being removed while it was handed in; try again',
};

/** Replaces a submission that the service holds nothing of. */
async function correct(
  trx: Trx,
  context: IntakeContext,
  meeting: { readonly submission: Submission; readonly before: OrderRow },
): Promise<IntakeResult> {
  const { submission, before } = meeting;
  const key = keyOfRow(before);
  const fromSaga = await toldBySaga(trx, before);
  await releaseReferences(trx, key);
  await forgetCorrected(trx, before, submission.order);
  const [row] = await prepare(trx, context, [submission]);
  if (row === undefined) throw new TypeError('A submission made no row.');
  const { accepted_at: _first, ...set } = row;
  await updateOrder(trx, key, {
    ...set,
    version: before.version + 1,
    attempts: 0,
    error_code: null,
    order_id: null,
    difference: null,
    erased_at: null,
  });
  await writeAudit(trx, {
    organisationId: context.organisationId,
    at: nowDate(context.clock),
    subject: 'order',
    subjectId: before.reference_id,
    what: 'order corrected',
    fromState: before.state,
    toState: row.state,
  });
  const now = nowDate(context.clock);
  if (fromSaga !== undefined)
    await changeOrder(trx, { order: key, change: fromSaga, source: 'saga', now });
  return resultOfRow('corrected', row);
}

function resultOfRow(kind: 'accepted' | 'corrected', row: NewOrder): IntakeResult {
  return {
    kind,
    referenceId: row.reference_id,
    integrationId: row.integration_id,
    state: row.state,
    reason: row.reason ?? null,
    warnings: JSON.parse(row.warnings),
  };
}

/** Names an order of any integration; no reference holds a NUL. */
function nameOf(order: { readonly integration_id: string; readonly reference_id: string }): string {
  return `${order.integration_id}\0${order.reference_id}`;
}
