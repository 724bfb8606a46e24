/**
 * Whether an organisation lives in this installation. A capability by which organisations leave one and come to another says so;
 * where none does, every organisation lives here. Asked by the roles (`running/roles/residence.ts`): before anybody works for an
 * organisation, whenever something has changed, and at each delivery.
 */
import type { BodyBudget } from '../alerts/receive/body-budget.ts';
import type { ReceiveCounters } from '../alerts/receive/counters.ts';
import type { DoorReception } from '../alerts/receive/door.ts';
import type { Reception } from '../alerts/receive/reception.ts';
import type { Verifier } from '../alerts/receive/signature.ts';
import type { Db } from '../base/db/database.ts';
import type { WakeBus } from '../base/jobs/wake.ts';
import type { Log } from '../base/kernel/log.ts';

/** What a listener gives for deliveries of an organisation that does not live here. */
export interface ElsewhereOptions {
  readonly organisationId: string;
  /** Asked at each delivery: its secrets may be exchanged. */
  readonly verifier: () => Verifier;
  readonly bodies: BodyBudget;
  readonly counters: ReceiveCounters;
  readonly log: Log;
}

/** What is done with deliveries for organisations that do not live here. */
export interface Elsewhere {
  /** Takes in what the service sends for one of them. */
  reception(options: ElsewhereOptions): Reception;
  /** Takes in what is posted for them at any other door. */
  readonly door: DoorReception;
}

/** No process may work for an organisation here. */
export interface Absence {
  /** Where it is, and what to do: sentences for people. */
  readonly why: string;
  readonly elsewhere: Elsewhere;
}

/** Where organisations live, as a process knows it. */
export interface Residence {
  /** Undefined: it lives here. */
  away(organisationId: string): Absence | undefined;
  /** Calls `listener` whenever something has changed. Returns what ends it. */
  follow(listener: () => void): () => void;
  /** Looks now. Never throws: while the database is away nothing changes. */
  refresh(): Promise<void>;
  stop(): void;
}

/** With what a process looks where organisations live. */
export interface ResidenceWork {
  /** It sees the rows of all organisations. */
  readonly db: Db;
  readonly wakeBus: WakeBus;
  readonly log: Log;
}

/**
 * Looks once, and from then on follows.
 *
 * @throws {DatabaseError} when the first look fails: anyone who does not know whether an organisation lives here works for none
 */
export type OpenResidence = (work: ResidenceWork) => Promise<Residence>;
