/** Organisations at a glance, with what needs a person first. */
import { openSettings } from '../../../base/kernel/setting.ts';
import { CAPABILITY_PAGES } from '../../../capabilities/pages.ts';
import type { PartHealth, Trouble } from '../../../health/health.ts';
import { judgeHealth, troublesOf } from '../../../health/health.ts';
import type { OrganisationRead } from '../../../health/many-organisations.store.ts';
import { readManyOrganisations } from '../../../health/many-organisations.store.ts';
import type { GlancePart, KnownAtGlance } from '../../../surface/organisation-column.ts';
import type { InstallationOptions } from '../../../surface/web/ports.ts';
import type { TheirOrganisation } from './their-organisations.ts';

export interface Glance extends TheirOrganisation, Pick<OrganisationRead, 'figures' | 'facts'> {
  readonly health: readonly PartHealth[];
  /** What is wrong with it, the worst first. */
  readonly troubles: readonly Trouble[];
  /** Something does not work, or an alert waits for somebody. */
  readonly needsPerson: boolean;
}

/** Reads them; those that need a person first, and of those what does not work, then by the time that is left. */
export async function readGlances(
  { dbOf, problems }: Pick<InstallationOptions, 'dbOf' | 'problems'>,
  organisations: readonly TheirOrganisation[],
  now: Date,
): Promise<readonly Glance[]> {
  const organisationIds = organisations.map(({ id }) => id);
  const read = await readManyOrganisations(dbOf(organisationIds), { organisationIds, now });
  const notStarted = problems?.() ?? new Map<string, string>();
  return organisations.flatMap((organisation) => {
    const found = read.get(organisation.id);
    return found === undefined ? [] : [glanceOf(organisation, found, notStarted)];
  });
}

function glanceOf(
  organisation: TheirOrganisation,
  { figures, facts }: OrganisationRead,
  notStarted: ReadonlyMap<string, string>,
): Glance {
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

/** What capabilities know of organisations, by the head of each column and the field of each in the API. */
export interface KnownOfThem {
  readonly headings: readonly string[];
  /** In the order of the headings. */
  of(organisationId: string): readonly KnownAtGlance[];
  json(organisationId: string): Readonly<Record<string, unknown>>;
}

const PARTS = CAPABILITY_PAGES.flatMap(({ atGlance }) => atGlance ?? []);

export async function readKnownOfThem(
  { dbOf, settings = openSettings({}) }: Pick<InstallationOptions, 'dbOf' | 'settings'>,
  organisationIds: readonly string[],
): Promise<KnownOfThem> {
  const db = dbOf(organisationIds);
  const found: [GlancePart, (organisationId: string) => KnownAtGlance][] = [];
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
export function byNeed(one: Glance, other: Glance): number {
  return (
    rankOf(other) - rankOf(one) ||
    timeOf(one) - timeOf(other) ||
    NAMES.compare(one.name, other.name)
  );
}

function rankOf({ needsPerson, troubles, figures }: Glance): number {
  if (troubles[0]?.status === 'failed') return 3;
  if (needsPerson) return 2;
  return figures.errors > 0 || troubles.length > 0 ? 1 : 0;
}

function timeOf({ figures: { nextActAt, nearestDeadlineAt } }: Glance): number {
  return (nextActAt ?? nearestDeadlineAt)?.getTime() ?? Number.MAX_SAFE_INTEGER;
}
