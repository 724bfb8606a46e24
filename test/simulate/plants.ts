/**
 * Bugs planted on purpose: removals of the model check, made in our real sources as they are loaded, to
 * show that the simulation finds each. The files themselves are not touched.
 *
 * A module whose address carries `?plant=NAME` is loaded with that bug, and hands the mark on to what
 * it imports where that leads to the bug; without the mark nothing differs. A text to be replaced that does not stand exactly once
 * in its file is an error, so a plant cannot silently outlive the code it breaks.
 */
import { registerHooks } from 'node:module';
import type { WeatherWishes } from './weather.ts';

interface Edit {
  /** Below `src/`. */
  readonly file: string;
  readonly find: string;
  readonly put: string;
}

/** A planted bug, and the weather in which it shows soon. */
export interface Plant {
  readonly edits: readonly Edit[];
  readonly wishes: WeatherWishes;
  /** Where the search begins, times the seed asked for, and how many stories a run has. */
  readonly seedFactor: number;
  readonly alerts: number;
  /** The rules that may break by it. */
  readonly breaks: readonly string[];
}

const HOUR_MS = 3_600_000;

/** Nothing fails. */
export const CALM: WeatherWishes = {
  callFaults: 0,
  refundFaults: 0,
  webhookFaults: 0,
  lostConnections: 0,
  kills: 0,
  stops: 0,
  outages: [],
  changesProviderAfterMs: null,
};

export const PLANTS = {
  'money of one complaint answers another': {
    edits: [
      {
        file: 'alerts/ledger/ledger.ts',
        find: '    return coverSum(answers, disputeId) >= amountMinor;',
        put: '    return sum(settled) >= amountMinor;',
      },
    ],
    wishes: { ...CALM, adapter: 'refuses above the charge' },
    seedFactor: 1000,
    alerts: 12,
    breaks: ['I2'],
  },
  'lost cover is told to nobody': {
    edits: [
      {
        file: 'alerts/ledger/tell-consequences.ts',
        find: 'for (const alert of lostCover(before, after, change)) await tellUncovered(trx, change, alert);',
        put: '',
      },
    ],
    wishes: { ...CALM, adapter: 'key and look-up' },
    seedFactor: 8018,
    alerts: 12,
    breaks: ['books'],
  },
  'key only past its life': {
    edits: [
      {
        file: 'alerts/refund/unknown-rule.ts',
        find: "if (endsMs !== null && nowMs >= endsMs) return { kind: 'human', reason: 'key_expired' };",
        put: '',
      },
    ],
    wishes: {
      ...CALM,
      adapter: 'key only',
      outages: [{ side: 'refunds', fromMs: 0, toMs: 1.7 * HOUR_MS, manner: 'mute' }],
    },
    seedFactor: 2000,
    alerts: 2,
    breaks: ['I1'],
  },
  'look-up without waiting': {
    edits: [
      {
        file: 'alerts/refund/unknown-rule.ts',
        find: 'return sentAtMs + LEASE_MS + (requestLifetimeSeconds + lookupLagSeconds) * 1000;',
        put: 'return sentAtMs + 0 * (LEASE_MS + requestLifetimeSeconds + lookupLagSeconds);',
      },
    ],
    wishes: { ...CALM, adapter: 'look-up only', refundFaults: 0.8 },
    seedFactor: 3000,
    alerts: 3,
    breaks: ['I1'],
  },
  'no lease check at send': {
    edits: [
      {
        file: 'alerts/refund/send-movement.ts',
        find: "if (standing === 'lease_lost') return;",
        put: '',
      },
      { file: 'alerts/refund/send-movement.ts', find: 'if (leftMs <= 0) return;', put: '' },
      {
        // The step's own limit ends the call too; the bug is that nothing does.
        file: 'alerts/refund/send-movement.ts',
        find: 'withinTime(leftMs, context.signal,',
        put: 'withinTime(30_000, new AbortController().signal,',
      },
    ],
    wishes: {
      ...CALM,
      adapter: 'look-up only',
      stops: 0.2,
      stopPoint: 'refund.marked_sent',
      stopsForMs: [10 * 60_000],
    },
    seedFactor: 4000,
    alerts: 4,
    breaks: ['I1'],
  },
  'a timeout is a failure': {
    edits: [
      {
        file: 'alerts/refund/send-movement.ts',
        find: "    case 'unknown':\n      return { to: 'UNKNOWN', reason: outcome.reason };",
        put: "    case 'unknown':\n      return { to: 'REJECTED', failureCode: outcome.reason, failureClass: 'retry' };",
      },
    ],
    wishes: { ...CALM, refundFaults: 0.8 },
    seedFactor: 5000,
    alerts: 5,
    breaks: ['I1', 'I3', 'books'],
  },
  'no look-up before the first call': {
    edits: [
      {
        file: 'alerts/ledger/charge-reading.ts',
        find: 'const reading = { charge: answer.value, version, atMs: clock.nowMs(), sentThrough };',
        put: 'const reading = { charge: { ...answer.value, refunds: [], refundableMinor: answer.value.amountMinor }, version, atMs: clock.nowMs(), sentThrough };',
      },
    ],
    wishes: { ...CALM, adapter: 'key and look-up' },
    seedFactor: 6003,
    alerts: 8,
    breaks: ['I1'],
  },
  'in doubt at one provider, sent again at another': {
    edits: [
      {
        file: 'alerts/refund/movement-runner.ts',
        find: 'if (isOfAnother(held.processor, processor.name)) return await leaveToPerson(own, held);',
        put: '',
      },
    ],
    wishes: {
      ...CALM,
      adapter: 'key only',
      outages: [{ side: 'refunds', fromMs: 0, toMs: 1.2 * HOUR_MS, manner: 'mute' }],
      changesProviderAfterMs: 0.4 * HOUR_MS,
    },
    seedFactor: 9000,
    alerts: 4,
    breaks: ['I1'],
  },
  'money counts once more under its reference': {
    edits: [
      {
        file: 'alerts/review/named-money.ts',
        find: 'return objectionTo(await findNamedMoney(trx, organisationId, reference));',
        put: 'await findNamedMoney(trx, organisationId, reference);\n  return undefined;',
      },
    ],
    wishes: { ...CALM, adapter: 'key and look-up', peopleErr: 1 },
    seedFactor: 10_000,
    alerts: 16,
    breaks: ['I9'],
  },
  'no deadline sweeper': {
    edits: [
      {
        file: 'alerts/cases/deadline-sweep.ts',
        find: '    async runOnce(): Promise<SweepResult> {',
        put: '    async runOnce(): Promise<SweepResult> {\n      return { alarms: 0, missed: 0, repaired: 0, stalled: 0 };',
      },
    ],
    wishes: {
      ...CALM,
      adapter: 'neither key nor look-up',
      refundFaults: 1,
    },
    seedFactor: 7000,
    alerts: 4,
    breaks: ['I6'],
  },
} as const satisfies Record<string, Plant>;

export type PlantName = keyof typeof PLANTS;

export function isPlantName(name: string): name is PlantName {
  return Object.hasOwn(PLANTS, name);
}

type RunModule = typeof import('./run.ts');

let isRegistered = false;

/** Loads the simulation with the bug in it. */
export async function loadPlanted(name: PlantName): Promise<RunModule> {
  if (!isRegistered) registerPlantHooks();
  isRegistered = true;
  // What leads to no broken file is loaded once for all of them.
  await import(marked(RUN, WHOLE));
  return (await import(marked(RUN, name))) as RunModule;
}

const RUN = new URL('./run.ts', import.meta.url).href;
/** The mark of what has no bug. */
const WHOLE = 'whole';

function marked(address: string, mark: string): string {
  return `${address}?plant=${encodeURIComponent(mark)}`;
}

const PROJECT = new URL('../../', import.meta.url).href;

/** Who imports a file of ours: addresses without a mark. */
const importers = new Map<string, Set<string>>();

function noteImport(file: string, importer: string): void {
  const known = importers.get(file) ?? new Set();
  importers.set(file, known.add(importer));
}

const broken = new Map<PlantName, ReadonlySet<string>>();

/** The files that a bug stands in, and those that lead to them: only these exist once more. */
function brokenBy(plant: PlantName): ReadonlySet<string> {
  const known = broken.get(plant);
  if (known !== undefined) return known;
  const found = new Set(PLANTS[plant].edits.map(({ file }) => `${PROJECT}src/${file}`));
  // A set that grows while it is walked is walked to its end.
  for (const file of found) for (const importer of importers.get(file) ?? []) found.add(importer);
  broken.set(plant, found);
  return found;
}

function markOf(address: string | undefined): PlantName | typeof WHOLE | undefined {
  if (address === undefined || !URL.canParse(address)) return undefined;
  const mark = new URL(address).searchParams.get('plant');
  return mark !== null && (mark === WHOLE || isPlantName(mark)) ? mark : undefined;
}

function registerPlantHooks(): void {
  registerHooks({
    resolve(specifier, context, next) {
      const found = next(specifier, context);
      const mark = markOf(context.parentURL);
      const isOurs = found.url.startsWith(PROJECT) && !found.url.includes('/node_modules/');
      if (mark === undefined || !isOurs || markOf(found.url) !== undefined) return found;
      if (mark === WHOLE) noteImport(found.url, context.parentURL?.split('?')[0] ?? '');
      const isBroken = mark !== WHOLE && brokenBy(mark).has(found.url);
      return { ...found, url: marked(found.url, isBroken ? mark : WHOLE) };
    },
    load(address, context, next) {
      const loaded = next(address, context);
      const mark = markOf(address);
      const path = address.slice(PROJECT.length).split('?')[0] ?? '';
      const edits = mark === undefined || mark === WHOLE ? [] : PLANTS[mark].edits;
      const own = edits.filter(({ file }) => path === `src/${file}`);
      if (own.length === 0) return loaded;
      return { ...loaded, source: own.reduce(applyEdit, String(loaded.source)) };
    },
  });
}

function applyEdit(source: string, { file, find, put }: Edit): string {
  const parts = source.split(find);
  if (parts.length === 2) return parts.join(put);
  throw new Error(
    `The text to be broken stands ${parts.length - 1} times in src/${file}, not once: ${find}`,
  );
}
