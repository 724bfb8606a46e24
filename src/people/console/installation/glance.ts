/** Organisations at a glance, with what needs a person first. */
import type { PartHealth, Trouble } from '../../../books/insights/health.ts';
import { judgeHealth, troublesOf } from '../../../books/insights/health.ts';
import type { OrganisationRead } from '../../../books/insights/many-organisations.store.ts';
import { readManyOrganisations } from '../../../books/insights/many-organisations.store.ts';
import type { InstallationOptions } from '../../../surface/web/ports.ts';
import type { TheirOrganisation } from './their-organisations.ts';

export interface Glance
  extends TheirOrganisation,
    Pick<OrganisationRead, 'figures' | 'ratios' | 'facts'> {
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
  { figures, facts, ratios }: OrganisationRead,
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
  return { ...organisation, figures, facts, ratios, health, troubles, needsPerson };
}

function notStartedPart(problem: string): Pick<PartHealth, 'status' | 'detail' | 'nextStep'> {
  return {
    status: 'failed',
    detail: `not started here: ${problem}`,
    nextStep: 'Correct its entry in the installation file; it is tried again every minute.',
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
