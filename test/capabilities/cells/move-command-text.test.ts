/** Guarantee: what a person is told of a move says where the organisation is and what comes next, within 80 columns. */
import { describe, expect, it } from 'vitest';
import type { MoveRow } from '../../../src/capabilities/cells/move.store.ts';
import {
  describeMoved,
  describePreview,
  describeStatus,
} from '../../../src/capabilities/cells/move-command-text.ts';
import { fitWidth } from '../../../src/surface/terminal/fit-width.ts';

const ID = 'org_01h8brandtwo';
const TARGET = 'cell-2.internal:5432/forestall';

function rowOf(over: Partial<MoveRow>): MoveRow {
  return {
    organisation_id: ID,
    direction: 'OUT',
    state: 'COPYING',
    move_id: 'move_1',
    other: TARGET,
    forward_url: null,
    offsets: {},
    tables: {},
    has_returned: false,
    holder: null,
    held_until: null,
    started_at: new Date(0),
    changed_at: new Date(0),
    ...over,
  };
}

describe('a move, as a person reads it', () => {
  it('before: rows by table, and both times', () => {
    const tables = Array.from({ length: 14 }, (_, place) => ({
      name: `table_${place}`,
      rows: 20 - place,
    }));
    const text = describePreview(ID, TARGET, {
      tables,
      rows: 189,
      copySeconds: 90,
      closedSeconds: 3_700,
    });
    expect(text).toContain('would move to cell-2.internal:5432/forestall: 189 rows');
    expect(text).toContain('and 15 rows of 2 more tables');
    expect(text).toContain('about 90 s, while this installation goes on working');
    expect(text).toContain('nobody works for it for about 62 min');
    expect(text.split('\n').filter((line) => line.startsWith('  table_')).length).toBe(12);
  });

  it('afterwards: what was compared, and four steps', () => {
    const moved = {
      state: 'SWITCHED',
      tables: { alert: { rows: 3, checksum: '1' }, audit: { rows: 4, checksum: '2' } },
      closedMs: 1_840,
    } as const;
    const text = describeMoved({ id: ID, targetName: TARGET, hasForward: false }, moved);
    expect(text).toContain('7 rows of 2 tables');
    expect(text).toContain('Nobody worked for it for 1.8 s.');
    expect(text).toContain('told to come again; --forward-to has them sent on');
    expect(text).toContain('--forget');
    for (const line of fitWidth(text, 80).split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });

  it('at any time: where it is, and how to go on', () => {
    expect(describeStatus(ID, undefined)).toContain('lives here');
    expect(describeStatus(ID, rowOf({}))).toMatch(/COPYING.*same --to goes on.*--abort/);
    expect(describeStatus(ID, rowOf({ state: 'SWITCHED' }))).toMatch(/has moved.*--forget/);
    expect(describeStatus(ID, rowOf({ direction: 'IN', state: 'ARRIVING' }))).toContain(
      'on its way here',
    );
  });
});
