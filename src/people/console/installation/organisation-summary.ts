/** Each organisation in a row: what is open, what is broken, and whether a person is needed. */
import { openSettings } from '../../../base/kernel/setting.ts';
import { CAPABILITY_PAGES } from '../../../capabilities/pages.ts';
import type { PartHealth, Trouble } from '../../../health/health.ts';
import { judgeHealth, troublesOf } from '../../../health/health.ts';
import type { OrganisationRead } from '../../../health/organisations.store.ts';
import { readOrganisationStates } from '../../../health/organisations.store.ts';
import type { OrganisationCell, OrganisationColumn } from '../../../surface/organisation-column.ts';
import type { InstallationOptions } from '../../../surface/web/ports.ts';
import type { TheirOrganisation } from './their-organisations.ts';

export interface OrganisationSummary
  extends TheirOrganisation,
    Pick<OrganisationRead, 'figures' | 'facts'> {
  readonly health: readonly PartHealth[];
  /** What is wrong with it, the worst first. */
  readonly troubles: readonly Trouble[];
  /** Something does not work, or an alert waits for somebody. */
  readonly needsPerson: boolean;
}

/** Reads them; those that need a person first, and of those what does not work, then by the time that is left. */
export async function readSummaries(
  { dbOf, problems }: Pick<InstallationOptions, 'dbOf' | 'problems'>,
  organisations: readonly TheirOrganisation[],
  now: Date,
): Promise<readonly OrganisationSummary[]> {
  const organisationIds = organisations.map(({ id }) => id);
  const read = await readOrganisationStates(dbOf(organisationIds), { organisationIds, now });
  const notStarted = problems?.() ?? new Map<string, string>();
  return organisations.flatMap((organisation) => {
    const found = read.get(organisation.id);
    return found === undefined ? [] : [summaryOf(organisation, found, notStarted)];
  });
}

function summaryOf(
  organisation: TheirOrganisation,
  { figures, facts }: OrganisationRead,
  notStarted: ReadonlyMap<string, string>,
): OrganisationSummary {
  const problem = notStarted.get(organisation.id);
  const judged = judgeHealth(facts);
  const health: readonly PartHealth[] =
    problem === undefined
      ? judged
      : judged.map((part) =>
          part.name === 'worker' ? { ...part, ...notStartedPart(problem) } : part,
        );
  const troubles = troublesOf(health);
  const needsPerson = figures.reviews > 0 || troubles[0]?.status === 'failed';
  return { ...organisation, figures, facts, health, troubles, needsPerson };
}

function notStartedPart(problem: string): Pick<PartHealth, 'status' | 'detail' | 'nextStep'> {
  return {
    status: 'failed',
    detail: `not started here: ${problem}`,
    nextStep: 'Correct its entry in the installation file; it is tried again every minute.',
  };
}

/** The columns that capabilities add, and their fields in the API. */
export interface OrganisationColumns {
  readonly headings: readonly string[];
  /** In the order of the headings. */
  of(organisationId: string): readonly OrganisationCell[];
  json(organisationId: string): Readonly<Record<string, unknown>>;
}

const PARTS = CAPABILITY_PAGES.flatMap(({ organisationColumn }) => organisationColumn ?? []);

export async function readColumns(
  { dbOf, settings = openSettings({}) }: Pick<InstallationOptions, 'dbOf' | 'settings'>,
  organisationIds: readonly string[],
): Promise<OrganisationColumns> {
  const db = dbOf(organisationIds);
  const found: [OrganisationColumn, (organisationId: string) => OrganisationCell][] = [];
  for (const part of PARTS) found.push([part, await part.read(db, organisationIds, settings)]);
  return {
    headings: PARTS.map(({ heading }) => heading),
    of: (id) => found.map(([, known]) => known(id)),
    json: (id) => Object.fromEntries(found.map(([{ field }, known]) => [field, known(id).json])),
  };
}

/** Made once: comparing by text makes one for each pair. */
const NAMES = new Intl.Collator();

/** The order of the page. */
export function byNeed(one: OrganisationSummary, other: OrganisationSummary): number {
  return (
    rankOf(other) - rankOf(one) ||
    timeOf(one) - timeOf(other) ||
    NAMES.compare(one.name, other.name)
  );
}

function rankOf({ needsPerson, troubles, figures }: OrganisationSummary): number {
  if (troubles[0]?.status === 'failed') return 3;
  if (needsPerson) return 2;
  return figures.errors > 0 || troubles.length > 0 ? 1 : 0;
}

function timeOf({ figures: { nextActAt, nearestDeadlineAt } }: OrganisationSummary): number {
  return (nextActAt ?? nearestDeadlineAt)?.getTime() ?? Number.MAX_SAFE_INTEGER;
}
