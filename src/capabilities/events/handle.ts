/**
 * Calls the handlers of an embedding program, each in the order of the stream, at least once for each event. A name's place is
 * stored behind each event; a lease lets one process at a time call it. A process that ends in between leaves the lease,
 * after which another one begins with the same event.
 */
import type { Installation } from '../../base/db/database.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import type { EventHandler, EventHandlers } from '../../surface/event-handlers.ts';
import { RETRY_MS } from './deliver.ts';
import { readChanges } from './event.store.ts';
import { eventBodyOf } from './event-body.ts';
import type { EventRow } from './events.table.ts';
import type { Holder } from './handler.store.ts';
import {
  claimHandler,
  dueHandlers,
  enterHandlers,
  holdHandler,
  moveHandler,
  noteFailure,
} from './handler.store.ts';
import { placeProblem } from './place.ts';

/** In milliseconds; held on to while a handler works. */
export const HANDLER_LEASE_MS = 30_000;
const HOLD_EVERY_MS = HANDLER_LEASE_MS / 3;

const PAGE = 100;

/** How long a stop waits for handlers, in milliseconds: below the 20 s of a stop. */
const FINISH_MS = 12_000;

export interface HandlerRunner {
  /** With `onSlotFree` it leaves handlers at work, else it waits for them. Returns how many events were handled until then. */
  runOnce(onSlotFree?: () => void): Promise<number>;
  finish(): Promise<void>;
}

interface HandleDeps extends Installation {
  readonly handlers: EventHandlers;
}

export function createHandlerRunner(deps: HandleDeps): HandlerRunner {
  const { db, clock, organisationId, handlers } = deps;
  const entered = new Set<string>();
  const atWork = new Map<string, Promise<number>>();
  const stop = { isStopping: false };

  const begin = (handler: EventHandler): Promise<number> => {
    const { name } = handler;
    const going = handleAll(deps, handler, stop).finally(() => atWork.delete(name));
    atWork.set(name, going);
    return going;
  };

  return {
    async runOnce(onSlotFree): Promise<number> {
      const all = handlers.list();
      if (all.length === 0 || stop.isStopping) return 0;
      const fresh = all.filter(({ name }) => !entered.has(name));
      if (fresh.length > 0) await enterHandlers(db, organisationId, fresh);
      for (const { name } of fresh) entered.add(name);
      const names = all.map(({ name }) => name);
      const due = await dueHandlers(db, { organisationId, now: nowDate(clock), names });
      const going = all
        .filter(({ name }) => due.includes(name) || atWork.has(name))
        .map((handler) => atWork.get(handler.name) ?? begin(handler));
      if (onSlotFree !== undefined) return 0;
      const handled = await Promise.all(going);
      return handled.reduce((sum, each) => sum + each, 0);
    },
    async finish(): Promise<void> {
      stop.isStopping = true;
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((done) => {
        timer = setTimeout(done, FINISH_MS);
      });
      await Promise.race([Promise.all(atWork.values()), late]);
      clearTimeout(timer);
    },
  };
}

type Stop = { readonly isStopping: boolean };

/** Never throws: a database that is away is told by others, and the next round begins again. */
async function handleAll(deps: HandleDeps, handler: EventHandler, stop: Stop): Promise<number> {
  const { log, workerId, organisationId } = deps;
  const holder: Holder = { organisationId, name: handler.name, owner: workerId };
  try {
    return await handleHeld(deps, handler, { holder, stop });
  } catch (error) {
    log.error({ err: error, handler: handler.name }, 'events were not handled; they come again');
    return 0;
  }
}

interface Held {
  readonly holder: Holder;
  readonly stop: Stop;
}

async function handleHeld(deps: HandleDeps, handler: EventHandler, held: Held): Promise<number> {
  const { db, clock } = deps;
  const { holder, stop } = held;
  const lease = { now: nowDate(clock), until: leaseEnd(deps) };
  const claimed = await claimHandler(db, holder, lease);
  if (claimed === undefined) return 0;
  let handled = 0;
  for (let { cursor, tries } = claimed; ; tries = 0) {
    const page = await readPage(deps, handler, cursor);
    const came = await handlePage(deps, handler, { ...held, events: page.events, tries });
    handled += came.handled;
    if (came.isOver) return handled;
    const isCut = came.handled < page.events.length;
    cursor = isCut ? (page.events[came.handled - 1]?.seq ?? cursor) : page.next;
    if (page.isLast || stop.isStopping) {
      await moveHandler(db, holder, { cursor, until: null });
      return handled;
    }
  }
}

function leaseEnd({ clock }: Pick<HandleDeps, 'clock'>): Date {
  return new Date(clock.nowMs() + HANDLER_LEASE_MS);
}

interface Page {
  readonly events: readonly EventRow[];
  /** Where it goes on behind them. */
  readonly next: number;
  readonly isLast: boolean;
}

/** What is not kept any more, or was never of this database, is told and left out. */
async function readPage(
  { db, organisationId, log }: HandleDeps,
  { name, types }: EventHandler,
  after: number,
): Promise<Page> {
  const found = await readChanges(db, { organisationId, after, types, limit: PAGE });
  const problem = placeProblem(after, found);
  if (problem === undefined) {
    return { events: found.events, next: found.cursor, isLast: found.cursor >= found.last };
  }
  const { message, next } = problem;
  log.error({ handler: name, cursor: after, next }, `${message} The handler goes on from ${next}.`);
  return { events: [], next, isLast: next >= found.last };
}

/** `isOver`: one failed and waits, or another process has the lease. Where it stops, it handled fewer than there are. */
async function handlePage(
  deps: HandleDeps,
  handler: EventHandler,
  batch: Held & { readonly events: readonly EventRow[]; readonly tries: number },
): Promise<{ readonly handled: number; readonly isOver: boolean }> {
  const { db, clock } = deps;
  const { holder, stop, events, tries } = batch;
  let handled = 0;
  for (const event of events) {
    if (stop.isStopping) break;
    if (!(await handleOne(deps, handler, { event, holder }))) {
      const before = handled === 0 ? tries : 0;
      const waitMs = RETRY_MS[Math.min(before, RETRY_MS.length - 1)] ?? 0;
      await noteFailure(db, holder, new Date(clock.nowMs() + waitMs));
      return { handled, isOver: true };
    }
    handled += 1;
    const isOurs = await moveHandler(db, holder, { cursor: event.seq, until: leaseEnd(deps) });
    if (!isOurs) return { handled, isOver: true };
  }
  return { handled, isOver: false };
}

async function handleOne(
  deps: HandleDeps,
  { name, handle }: EventHandler,
  { event, holder }: { readonly event: EventRow; readonly holder: Holder },
): Promise<boolean> {
  const { db, log, organisationId } = deps;
  const hold = setInterval(() => {
    // One that fails leaves the lease to end: the event then comes twice, which handlers expect.
    holdHandler(db, holder, leaseEnd(deps)).catch(() => undefined);
  }, HOLD_EVERY_MS);
  try {
    await handle(eventBodyOf(organisationId, event));
    return true;
  } catch (error) {
    const about = { err: error, handler: name, event: event.type, position: event.seq };
    log.error(about, 'a handler of events failed; it gets the event again');
    return false;
  } finally {
    clearInterval(hold);
  }
}
