/** The nearest line of each organisation, on the page of all of them. */

import type { Db } from '../../base/db/database.ts';
import { anyOf } from '../../base/db/text-array.ts';
import type { Html, HtmlValue } from '../../base/kernel/html.ts';
import { html } from '../../base/kernel/html.ts';
import type { OrganisationCell, OrganisationColumn } from '../../surface/organisation-column.ts';
import { moment } from '../../surface/view/time.ts';
import type { Monitoring } from './monitoring.ts';
import { monitoring } from './settings.ts';

/** A standing is measured every ten minutes while payments come; an older one than this is said to be old. */
const OLD_MS = 24 * 3_600_000;

/** How near a ratio is to the nearest line of its programme. */
interface NearestRatio {
  readonly scheme: string;
  readonly percent: number | null;
  /** Counted items until the line; 0: crossed. */
  readonly headroom: number | null;
  readonly line: string | null;
  readonly measuredAt: Date;
}

export const ratioColumn: OrganisationColumn = {
  heading: 'Dispute ratio',
  field: 'ratios',
  async read(db, organisationIds, settings): Promise<(organisationId: string) => OrganisationCell> {
    const standings = await readStandings(db, organisationIds);
    const limits = limitsOf(settings.of(monitoring));
    return (organisationId): OrganisationCell => {
      const own = standings.get(organisationId) ?? [];
      return {
        json: own.map(({ scheme, percent, headroom, line, measuredAt }) => ({
          scheme,
          percent,
          headroom,
          line,
          measured_at: measuredAt.toISOString(),
        })),
        cell: (place) => cellOf(own[0], { ...place, limits }),
      };
    };
  },
};

/** The nearest line first. */
async function readStandings(
  db: Db,
  organisationIds: readonly string[],
): Promise<ReadonlyMap<string, readonly NearestRatio[]>> {
  const rows = await db
    .selectFrom('ratio_standing')
    .select(['organisation_id', 'scheme', 'ratio_percent as percent', 'headroom', 'line'])
    .select('measured_at as measuredAt')
    .where('organisation_id', '=', anyOf(organisationIds))
    .where('merchant_id', '=', '')
    .orderBy('headroom', (order) => order.asc().nullsLast())
    .orderBy('scheme')
    .execute();
  return Map.groupBy(rows, (row) => row.organisation_id);
}

/** The ratio of each line, in per cent, by the name under which standings know it. */
function limitsOf({ programmes }: Monitoring): ReadonlyMap<string, number> {
  const lines = programmes.flatMap(({ name, lines: own }) =>
    own.flatMap(({ name: line, ratio_percent: percent }): [string, number][] =>
      percent === undefined ? [] : [[`${name}: ${line}`, percent]],
    ),
  );
  return new Map(lines);
}

function cellOf(
  nearest: NearestRatio | undefined,
  {
    now,
    addressOf,
    limits,
  }: Parameters<OrganisationCell['cell']>[0] & { readonly limits: ReadonlyMap<string, number> },
): HtmlValue {
  if (nearest === undefined || nearest.percent === null) return '';
  const { percent, measuredAt, line } = nearest;
  const limit = limits.get(line ?? '');
  const isOld = now.getTime() - measuredAt.getTime() > OLD_MS;
  return html`<a href="${addressOf('/ratios')}">${percent.toFixed(2)} %</a>${limit !== undefined && html` <span class="quiet">of ${limit} %</span>`} <span class="long">${roomWords(nearest)}${isOld && html` <span class="quiet">(measured ${moment(measuredAt)})</span>`}</span>`;
}

/** What is left until the nearest line of a programme. */
function roomWords({ headroom, line }: NearestRatio): Html {
  if (headroom === null || line === null) return html`<span class="quiet">no line</span>`;
  return headroom === 0
    ? html`<span class="worse-words">over the line ${line}</span>`
    : html`<span class="quiet">${headroom} left until ${line}</span>`;
}
