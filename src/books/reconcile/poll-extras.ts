/**
 * The reads of a full round, about once an hour: lookups, and enrolments where a partner key allows it.
 * They inform; nothing waits for them, so their failure never passes for a failure to read alerts.
 */
import type { Enrolment } from '../../service/wire/enrolment.ts';
import type { Lookup } from '../../service/wire/lookup.ts';
import { readFailureOf } from './poll-failure.ts';
import type { PolledSnapshot } from './poll-port.ts';
import type { RoundContext } from './poll-round.ts';
import { APPLY_BATCH, applyAll, isForeign, noteFailure } from './poll-round.ts';

/** Lookups read in a round. */
export const LOOKUPS_MAX = 200;

/** Enrolments read in a round: a merchant has a few per programme. */
export const ENROLMENTS_MAX = 1_000;

/** Reads lookups, newest pages first as the service sends them, up to {@link LOOKUPS_MAX}. */
export async function pollLookups(round: RoundContext): Promise<void> {
  const { client, signal, tally } = round;
  const lookups: Lookup[] = [];
  try {
    for await (const lookup of client.lookups.list({}, { signal })) {
      if (!isForeign(round, lookup)) lookups.push(lookup);
      if (lookups.length >= LOOKUPS_MAX) break;
    }
  } catch (error) {
    noteFailure(tally, error);
  }
  await applyInBatches(
    round,
    lookups.map((object) => ({ entity: 'lookup', object })),
  );
  tally.lookups = lookups.length;
}

/** Reads the organisation's enrolments. A partner key reaches others too: those are passed over. */
export async function pollEnrolments(round: RoundContext): Promise<void> {
  const { client, organisationId, signal, tally } = round;
  if (client.enrolments === undefined) return;
  const enrolments: Enrolment[] = [];
  try {
    const filter = { organisation_id: organisationId };
    for await (const enrolment of client.enrolments.list(filter, { signal })) {
      if (enrolment.organisation_id === organisationId) enrolments.push(enrolment);
      if (enrolments.length >= ENROLMENTS_MAX) break;
    }
  } catch (error) {
    tally.enrolmentFailure = readFailureOf(error);
    if (tally.enrolmentFailure === undefined) throw error;
  }
  await applyInBatches(
    round,
    enrolments.map((object) => ({ entity: 'enrolment', object })),
  );
  tally.enrolments = tally.enrolmentFailure === undefined ? enrolments.length : null;
}

async function applyInBatches(
  round: RoundContext,
  snapshots: readonly PolledSnapshot[],
): Promise<void> {
  for (let start = 0; start < snapshots.length; start += APPLY_BATCH) {
    await applyAll(round, snapshots.slice(start, start + APPLY_BATCH));
  }
}
