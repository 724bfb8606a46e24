/** The ratio of a scope and the nearest line, for the policy and for alarms. Pure. */
import type { RatioStanding } from '../../alerts/decide/ratio-standing.store.ts';
import type { LineState } from './assess.ts';
import { itemsToCross, ratioPercent } from './assess.ts';
import type { Cockpit, ProgrammeView, ReadingView, ReportedView } from './cockpit.ts';
import type { Line, Programme } from './programme.ts';

/** Per cent of a line at which people are notified. */
export const ALARM_LEVELS = [50, 75, 90, 100] as const;

/** How near a line is, by one basis. */
export interface Nearness {
  readonly programme: Programme;
  readonly line: Line;
  readonly basis: 'estimated' | 'reported';
  /** YYYY-MM. */
  readonly month: string;
  readonly reading: string;
  /** Per cent of the way, by the reading that is nearest. */
  readonly progress: number;
  readonly count: number;
  /** Items that cross the line; null where it looks back over days. */
  readonly target: number | null;
  readonly base: number | null;
  readonly ratioPercent: number | null;
  /** Conditions of the line that are not known and were taken for reached. */
  readonly unknown: LineState['unknown'];
  /** Not everything that counts was reported: the count is the least that it can be. */
  readonly isAtLeast: boolean;
  /** The line holds in certain regions, and which is the acquirer's is not set. */
  readonly isRegionUnset: boolean;
}

/**
 * How near every line is. Of a running month: how many of the items that the line takes of the whole month's
 * expected payments are counted, so that the first days of a month raise no alarm by their few payments.
 */
export function nearnessOf(cockpit: Cockpit): Nearness[] {
  const { months } = cockpit;
  const month = months.at(-1) ?? '';
  const recent = months.slice(-REPORTED_MONTHS);
  const programmes = cockpit.programmes.filter(({ isJudged }) => isJudged);
  const past = cockpit.past.filter(({ isJudged }) => isJudged);
  const isRegionUnset = (programme: Programme): boolean =>
    cockpit.region === undefined && programme.regions !== undefined;
  const all = [
    ...programmes.flatMap((view) =>
      view.programme.lines.flatMap((line, index) =>
        nearest(view.readings.map((reading) => estimatedOf(view, { reading, line, index, month }))),
      ),
    ),
    ...[...programmes, ...past].flatMap((view) =>
      view.reported
        .filter((reported) => recent.includes(reported.month))
        .flatMap((reported) =>
          view.programme.lines.flatMap((line, index) =>
            nearest(reportedOf(view, { reported, line, index })),
          ),
        ),
    ),
  ];
  return all.map((each) => ({ ...each, isRegionUnset: isRegionUnset(each.programme) }));
}

/** Reported months that raise alarms, the current one included: numbers come late, and older ones are history. */
const REPORTED_MONTHS = 4;

interface LineAt {
  readonly line: Line;
  readonly index: number;
}

function estimatedOf(
  { programme }: ProgrammeView,
  place: LineAt & { readonly reading: ReadingView; readonly month: string },
): Nearness {
  const { reading, line, index, month } = place;
  const state = reading.lines[index];
  const isRolling = programme.rolling_days !== undefined;
  const base = isRolling ? reading.base : reading.expectedBase;
  const target = itemsToCross(line, base);
  const others = (state?.conditions ?? []).flatMap(({ what, share }) =>
    what === 'ratio' || what === 'count' || share === null ? [] : [share],
  );
  const share = target === null ? 0 : Math.min(reading.count / target, ...others);
  return {
    programme,
    line,
    basis: 'estimated',
    month,
    reading: reading.reading.name,
    progress: Math.floor(share * 100 + 1e-9),
    count: reading.count,
    target,
    base,
    ratioPercent: ratioPercent(reading.count, base),
    // Without a base nothing is near; that it is not known says the page.
    unknown: (state?.unknown ?? []).filter((what) => what !== 'ratio'),
    isAtLeast: false,
    isRegionUnset: false,
  };
}

function reportedOf(
  { programme }: ProgrammeView,
  { reported, line, index }: LineAt & { readonly reported: ReportedView },
): Nearness[] {
  return reported.readings.map(
    ({ reading, count, base, ratioPercent: percent, lines, missing }) => ({
      programme,
      line,
      basis: 'reported',
      month: reported.month,
      reading: reading.name,
      progress: lines[index]?.progress ?? 0,
      count,
      target: itemsToCross(line, base),
      base,
      ratioPercent: percent,
      unknown: lines[index]?.unknown ?? [],
      isAtLeast: missing.length > 0,
      isRegionUnset: false,
    }),
  );
}

function nearest(all: readonly Nearness[]): Nearness[] {
  const [first, ...others] = all;
  if (first === undefined) return [];
  return [others.reduce((best, each) => (each.progress > best.progress ? each : best), first)];
}

/** What the policy learns about a scope: of each scheme, the reading that counts most and the nearest line. */
export function standingsOf(cockpit: Cockpit): RatioStanding[] {
  const schemes = ['SCHEME_A', 'SCHEME_B'] as const;
  return schemes.flatMap((scheme) => {
    const views = cockpit.programmes.filter(
      ({ programme, isJudged }) => isJudged && programme.scheme === scheme,
    );
    const readings = views.flatMap((view) => view.readings);
    const percents = readings.flatMap(({ ratioPercent: percent }) => percent ?? []);
    const rooms = views.flatMap(roomsOf).sort((a, b) => a.headroom - b.headroom);
    const [room] = rooms;
    return [
      {
        merchantId: cockpit.scope.kind === 'merchant' ? cockpit.scope.id : '',
        scheme,
        percent: percents.length === 0 ? null : Math.max(...percents),
        headroom: room?.headroom ?? null,
        line: room?.line ?? null,
        counted: room?.counted ?? null,
        ahead: room?.ahead ?? null,
      },
    ];
  });
}

type Room = Pick<RatioStanding, 'counted' | 'ahead'> & {
  readonly headroom: number;
  readonly line: string;
};

function roomsOf({ programme, readings }: ProgrammeView): Room[] {
  return readings.flatMap((reading) =>
    programme.lines.flatMap((line) => {
      const target = itemsToCross(line, reading.expectedBase);
      if (target === null) return [];
      const headroom = Math.max(0, target - reading.count);
      const { count, monthEnd } = reading;
      const ahead =
        monthEnd === undefined
          ? null
          : {
              expected: monthEnd.expected - count,
              low: monthEnd.low - count,
              high: monthEnd.high - count,
            };
      return [{ headroom, line: `${programme.name}: ${line.name}`, counted: count, ahead }];
    }),
  );
}
