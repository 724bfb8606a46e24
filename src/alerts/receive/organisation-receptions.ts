/**
 * One front door for several organisations: `POST /webhooks/{organisation}`, and `POST /webhooks`, where the
 * organisation is found by whose secret made the signature.
 *
 * Nothing is stored, and nothing of the body is read, before a signature is verified. Each organisation has its own
 * reception with its own bounds, so that none fills the lists of another; what belongs to none has bounds of
 * its own as well.
 */
import type { Answer } from './answers.ts';
import type { BodyBudget } from './body-budget.ts';
import type { RefusedReason } from './counters.ts';
import type { Incoming, Reception } from './reception.ts';
import type { ReadSignature, Verifier } from './signature.ts';
import { readSignature } from './signature.ts';

/**
 * How many organisations the shared path tries, the first in the list: each costs a digest of the body, for
 * forged deliveries too.
 */
export const SHARED_PATH_MAX = 32;

/** One organisation's door. */
export interface Door {
  readonly organisationId: string;
  /** The name in its path; its id opens it too. */
  readonly path: string;
  readonly reception: Reception;
  /** Asked at each delivery: its secrets may be exchanged. */
  readonly verifier: () => Verifier;
}

/** What the doors share. */
export interface OrganisationReceptionsOptions {
  /** In the order of the list. */
  readonly doors: () => readonly Door[];
  /** Counts and logs what names no organisation, and was signed with no secret of theirs. */
  readonly refuseUnknown: (reason: RefusedReason) => Answer;
  /** Organisations that are there, with a door or without: one that has none now is told to come again. */
  readonly isListed: (name: string) => boolean;
  /** What bodies without a known organisation may take. */
  readonly bodies: BodyBudget;
}

/** Creates the reception of all of them. */
export function createOrganisationReceptions({
  doors,
  isListed,
  refuseUnknown,
  bodies,
}: OrganisationReceptionsOptions): Reception {
  const findByName = (name: string): Door | undefined =>
    doors().find(({ path, organisationId }) => path === name || organisationId === name);

  const receiveShared = async (incoming: Incoming): Promise<Answer> => {
    const signature = readSignature(incoming.signatures);
    if (!signature.ok) return refuseUnknown(signature.reason);
    const read = await incoming.readBody(bodies);
    if (!read.ok) return refuseUnknown(read.reason);
    const door = findBySecret(doors().slice(0, SHARED_PATH_MAX), signature, read.body);
    if (door === undefined) return refuseUnknown('no_match');
    return await door.reception.receive({ ...incoming, readBody: () => Promise.resolve(read) });
  };

  return {
    knows: (name) => name === '' || isListed(name) || findByName(name) !== undefined,
    refuse: refuseUnknown,
    async receive(incoming): Promise<Answer> {
      if (incoming.subscription === '') return await receiveShared(incoming);
      const { subscription } = incoming;
      const door = findByName(subscription);
      if (door === undefined) {
        return refuseUnknown(isListed(subscription) ? 'unavailable' : 'unknown_subscription');
      }
      return await door.reception.receive({ ...incoming, subscription: '' });
    },
  };
}

/** Every organisation is tried, whether or not one has matched, so that the time taken does not tell which. */
function findBySecret(
  doors: readonly Door[],
  signature: ReadSignature,
  body: Buffer,
): Door | undefined {
  let found: Door | undefined;
  for (const door of doors) {
    const verdict = door.verifier().verifyRead(signature, body);
    if (verdict.ok || verdict.authentic) found = door;
  }
  return found;
}
