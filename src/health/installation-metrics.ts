/**
 * The metrics of an installation of several organisations: each with the label `organisation`, the organisation's name in
 * addresses. Only so many have a label of their own, the first ones of the file, so that a series never changes its
 * meaning; all others together are `other`: their counts added up, the worst of their ages and states.
 */
import type { ReceiveCounts } from '../alerts/receive/counters.ts';
import type { Db } from '../base/db/database.ts';
import { readTogether } from '../base/db/read-together.ts';
import type { PartHealth } from './health.ts';
import { judgeHealth } from './health.ts';
import type { Labelled } from './label-figures.store.ts';
import { readLabelCounts } from './label-figures.store.ts';
import type { Sample } from './metrics.ts';
import {
  backlogSamples,
  healthSamples,
  heardSamples,
  keptSamples,
  openSamples,
  receiveSamples,
  standingSamples,
  workerSamples,
} from './metrics.ts';
import { readWorkers } from './operations.store.ts';
import type { OrganisationRead } from './organisations.store.ts';
import { readOrganisationStates } from './organisations.store.ts';
import { keptOverview } from './overview.store.ts';

/** Organisations with a label of their own. */
export const LABELLED_MAX = 100;

export const OTHER = 'other';

export interface Measured extends Pick<OrganisationRead, 'figures' | 'facts'> {
  /** The name of the organisation in addresses. */
  readonly name: string;
  readonly health: readonly PartHealth[];
}

/** What is counted besides in the database, under labels, in a fixed number of statements. */
export type CountByLabel = (
  db: Db,
  scope: Labelled,
) => Promise<ReadonlyMap<string, readonly Sample<string>[]>>;

/** The samples of organisations, in the order of the file. */
export function installationSamples(organisations: readonly Measured[], now: Date): Sample[] {
  return boundLabels(
    organisations.map(({ name, ...read }) => [name, samplesOf(read, now)]),
    worstOf,
  );
}

/** Reads the samples of organisations, in the order of the file. */
export async function readInstallationMetrics(
  db: Db,
  organisations: readonly { readonly id: string; readonly path: string }[],
  { now, besides }: Counting,
): Promise<Sample<string>[]> {
  const organisationIds = organisations.map(({ id }) => id);
  const { read, counted } = await readTogether(db, async (trx) => ({
    read: await readOrganisationStates(trx, { organisationIds, now }),
    counted: await readInstallationCounts(trx, organisations, { now, besides }),
  }));
  const measured = organisations.flatMap(({ id, path }): Measured[] => {
    const found = read.get(id);
    return found === undefined ? [] : [{ ...found, name: path, health: judgeHealth(found.facts) }];
  });
  return [...installationSamples(measured, now), ...counted];
}

interface Counting {
  readonly now: Date;
  /** @default nothing */
  readonly besides?: readonly CountByLabel[] | undefined;
}

/** What is counted in the database, under the labels of the organisations; and the processes, which belong to no organisation. */
export async function readInstallationCounts(
  db: Db,
  organisations: readonly { readonly id: string; readonly path: string }[],
  { now, besides = [] }: Counting,
): Promise<Sample<string>[]> {
  const organisationIds = organisations.map(({ id }) => id);
  const labels = organisations.map(({ path }, place) => (place < LABELLED_MAX ? path : OTHER));
  const scope = { organisationIds, labels, now };
  const counts = await readLabelCounts(db, scope);
  const others: Sample<string>[] = [];
  for (const count of besides) {
    for (const [label, samples] of await count(db, scope))
      others.push(...samples.map((sample) => withOrganisation(sample, label)));
  }
  const counted = [...counts].flatMap(([label, { figures, backlog, ...open }]) =>
    [
      ...keptSamples(
        keptOverview((measure) => figures.filter((figure) => figure.measure === measure)),
      ),
      ...openSamples(open),
      ...heardSamples(open, now),
      ...backlogSamples(backlog),
    ].map((sample) => withOrganisation(sample, label)),
  );
  return [...counted, ...others, ...workerSamples(await readWorkers(db, { organisationIds, now }))];
}

/** What receivers of this process have counted, in the order of the file. */
export function installationReceiveSamples(
  counts: readonly (readonly [name: string, counts: ReceiveCounts])[],
): Sample<string>[] {
  return boundLabels(
    counts.map(([name, each]) => [name, receiveSamples(each)]),
    sumOf,
  );
}

function samplesOf({ figures, facts, health }: Omit<Measured, 'name'>, now: Date): Sample[] {
  const isReconcilingFirst = facts.recovery.check !== undefined;
  return [
    ...standingSamples({ ...figures, ...facts, isReconcilingFirst }, now),
    ...healthSamples(health),
  ];
}

type Together = (sample: Sample<string>, values: readonly number[]) => number;

const sumOf: Together = (_sample, values) => values.reduce((sum, value) => sum + value, 0);

/** Worse the less they are: what is left until a deadline, and the time since an alert was missed. */
const WORST_BELOW: ReadonlySet<string> = new Set([
  'forestall_nearest_deadline_seconds',
  'forestall_last_missed_age_seconds',
]);

/** The worst of ages and states, the sum of counts. */
const worstOf: Together = (sample, values) => {
  const { name } = sample;
  if (WORST_BELOW.has(name)) return Math.min(...values);
  return /_seconds$|_health$|_first$/.test(name) ? Math.max(...values) : sumOf(sample, values);
};

function boundLabels<Name extends string>(
  all: readonly (readonly [name: string, samples: readonly Sample<Name>[]])[],
  together: Together,
): Sample<Name>[] {
  const own = all
    .slice(0, LABELLED_MAX)
    .flatMap(([name, samples]) => samples.map((sample) => withOrganisation(sample, name)));
  const rest = all.slice(LABELLED_MAX).flatMap(([, samples]) => samples);
  const alike = Map.groupBy(rest, ({ name, labels }) => JSON.stringify([name, labels]));
  const others = [...alike.values()].flatMap((samples): Sample<Name>[] => {
    const [first] = samples;
    if (first === undefined) return [];
    const value = together(
      first,
      samples.map((sample) => sample.value),
    );
    return [withOrganisation({ ...first, value }, OTHER)];
  });
  return [...own, ...others];
}

function withOrganisation<Name extends string>(
  sample: Sample<Name>,
  organisation: string,
): Sample<Name> {
  return { ...sample, labels: { organisation, ...sample.labels } };
}
