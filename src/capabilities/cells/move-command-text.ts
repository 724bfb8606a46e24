/** A move of an organisation, as a person reads it. Pure. */
import type { MoveRow } from './move.store.ts';
import type { Moved } from './move-organisation.ts';
import type { MovePreview } from './preview-move.ts';

/** Tables that a preview names; the others are few rows. */
const TABLES_SHOWN = 12;

const COMMAND = 'forestall organisations move';

/** What would be moved. */
export function describePreview(
  id: string,
  targetName: string,
  { tables, rows, copySeconds, closedSeconds }: MovePreview,
): string {
  const width = Math.max(...tables.map(({ name }) => name.length), 0);
  const shown = tables.slice(0, TABLES_SHOWN);
  const rest = tables.slice(TABLES_SHOWN);
  const restRows = rest.reduce((sum, each) => sum + each.rows, 0);
  return [
    `${id} would move to ${targetName}: ${rows} rows.`,
    ...shown.map((each) => `  ${each.name.padEnd(width)}  ${String(each.rows).padStart(12)}`),
    ...(rest.length === 0 ? [] : [`  and ${restRows} rows of ${rest.length} more tables`]),
    `Copying takes about ${timeOf(copySeconds)}, while this installation goes on working.`,
    `Then nobody works for it for about ${timeOf(closedSeconds)}: deliveries are told to come again.`,
  ].join('\n');
}

export function describeMoved(
  { id, targetName, hasForward }: { id: string; targetName: string; hasForward: boolean },
  { tables, closedMs }: Moved,
): string {
  const totals = Object.values(tables);
  const rows = totals.reduce((sum, total) => sum + total.rows, 0);
  const closed =
    closedMs === undefined ? '' : ` Nobody worked for it for ${(closedMs / 1_000).toFixed(1)} s.`;
  return [
    `${id} lives at ${targetName} now: ${rows} rows of ${totals.length} tables, each table compared.${closed}`,
    'Next:',
    '  1. There: its entry in the installation file, if it is not in it yet. What runs takes it within seconds.',
    hasForward
      ? '  2. Lead its deliveries there, by the router or in the dashboard. Until then they are sent on from here, as long as it stands in the file here.'
      : '  2. Lead its deliveries there, by the router or in the dashboard. Until then they are told to come again; --forward-to has them sent on.',
    '  3. Here: take it out of the installation file.',
    `  4. ${COMMAND} ${id} --to … --forget deletes its rows here. That it has gone stays known.`,
  ].join('\n');
}

export function describeStatus(id: string, row: MoveRow | undefined): string {
  if (row === undefined) return `${id} is in no move: it lives here.`;
  const { direction, state, other } = row;
  if (direction === 'IN') {
    return state === 'ARRIVED'
      ? `${id} lives here. It came from ${other}.`
      : `${id} is on its way here, from ${other}.`;
  }
  const next: Readonly<Record<string, string>> = {
    SWITCHED: `It has moved; its rows are still here. --forget deletes them.`,
    FORGOTTEN: 'It has moved, and its rows here are deleted.',
  };
  return `${id}, to ${other}: ${state}. ${next[state] ?? `${COMMAND} with the same --to goes on; with --abort it stays here.`}`;
}

export function describeAborted(id: string): string {
  return `${id} stays here. What runs works for it again within seconds; the target holds nothing of it.`;
}

export function describeForgotten(id: string, rows: number): string {
  return `${rows} rows of ${id} are deleted here. No start of this installation works for it again.`;
}

function timeOf(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7_200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3_600)} h`;
}
