/**
 * Guarantee: every state of a case and of a movement ends by time and by a person, and the tables in
 * src/alerts/ledger/README.md say how (L7).
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { CaseState } from '../../../src/alerts/cases/case-state.ts';
import { CASE_STATES, isTerminal } from '../../../src/alerts/cases/case-state.ts';
import { createDecideSteps } from '../../../src/alerts/decide/decide.job.ts';
import type { DecideDeps } from '../../../src/alerts/decide/decide-deps.ts';
import { createHeldStep } from '../../../src/alerts/decide/held.job.ts';
import { createDeclareSteps } from '../../../src/alerts/declare/declare-steps.ts';
import { createRefundSteps } from '../../../src/alerts/refund/refund-steps.ts';
import type { SagaDeps } from '../../../src/alerts/refund/saga-deps.ts';
import { DECIDABLE } from '../../../src/alerts/review/operator-decision.ts';
import { caseRows, movementRows, offeredIn, SITUATIONS, withMovement } from './exits.ts';

const readme = readFileSync(
  new URL('../../../src/alerts/ledger/README.md', import.meta.url),
  'utf8',
);

/** The rows below the heading, up to the next one. */
function rowsUnder(heading: string): string[] {
  const [, after = ''] = readme.split(`\n### ${heading}\n`);
  const [part = ''] = after.split('\n#');
  return part.split('\n').filter((line) => line.startsWith('| `'));
}

describe('the tables of exits', () => {
  it('of a case are what the code says', () => {
    expect(rowsUnder('Of a case')).toEqual(caseRows());
  });

  it('of a movement are what the code says', () => {
    expect(rowsUnder('Of a movement')).toEqual(movementRows());
  });

  it('have no empty cell', () => {
    for (const line of [...caseRows(), ...movementRows()]) {
      const cells = line.split('|').slice(1, -1);
      expect(cells, line).toHaveLength(4);
      for (const cell of cells) expect(cell.trim(), line).not.toBe('');
    }
  });
});

describe('a person', () => {
  const open = CASE_STATES.filter((state) => !isTerminal(state));
  const everywhere = open.flatMap((state) => SITUATIONS.map((situation) => ({ state, situation })));

  it.each(everywhere)(
    'is offered something in $state: $situation.title',
    ({ state, situation }) => {
      expect(offeredIn(state, situation)).not.toEqual([]);
    },
  );

  it.each(DECIDABLE)(
    'can decide in %s before the deadline, unless our refund is on its way',
    (state) => {
      for (const situation of SITUATIONS) {
        const { title, isBeforeDeadline } = situation;
        // L7 names these: its answer comes within a lease, or it settles or fails.
        const isWaiting = /our refund( of a part)? is (SENT|PENDING)/.test(title);
        if (!isBeforeDeadline || isWaiting) continue;
        const offered = offeredIn(state, situation).filter((action) => action !== 'RETRY');
        expect(offered, title).not.toEqual([]);
      }
    },
  );

  it.each(['UNKNOWN', 'HUMAN'] as const)('can say what became of a request that is %s', (state) => {
    for (const caseState of CASE_STATES.filter((each) => !isTerminal(each))) {
      for (const isBeforeDeadline of [true, false]) {
        const offered = offeredIn(caseState, { ledger: withMovement(state), isBeforeDeadline });
        expect(offered).toEqual(expect.arrayContaining(['DID_EXECUTE', 'DID_NOT_EXECUTE']));
      }
    }
  });

  it('is offered nothing about an alert that is over but to say what became of a request', () => {
    for (const state of CASE_STATES.filter(isTerminal)) {
      for (const situation of SITUATIONS) {
        const isUnknown = /our refund( of a part)? is (UNKNOWN|HUMAN)/.test(situation.title);
        expect(offeredIn(state, situation), situation.title).toEqual(
          isUnknown ? ['DID_EXECUTE', 'DID_NOT_EXECUTE'] : [],
        );
      }
    }
  });
});

/** What is offered of a held case before its deadline; afterwards the same without `REFUND`. */
const ALL = ['ACCEPT_DISPUTE', 'NOT_OURS', 'REFUND', 'REFUNDED_OUTSIDE', 'RETRY'];
const OFFERS: Readonly<Record<string, readonly string[]>> = {
  'no charge is known': ['ACCEPT_DISPUTE', 'NOT_OURS', 'REFUND', 'RETRY'],
  'nothing moved': ALL,
  'two alerts speak of the dispute': [...ALL, 'SEPARATE_DISPUTE'],
  'beside the dispute of another part': [...ALL, 'JOIN_DISPUTE'],
  'a request for another dispute is in doubt': ALL,
  'nobody knows whether it is the same complaint': [
    'ACCEPT_DISPUTE',
    'JOIN_DISPUTE',
    'NOT_OURS',
    'RETRY',
    'SEPARATE_DISPUTE',
  ],
  'its twin was accepted': ['ACCEPT_DISPUTE', 'NOT_OURS', 'RETRY'],
  'support refunded a part': ['ACCEPT_DISPUTE', 'REFUND', 'REFUNDED_OUTSIDE', 'RETRY'],
  'support refunded all of it': ['REFUND', 'RETRY'],
  'support’s refund is pending': ['REFUND', 'REFUNDED_OUTSIDE', 'RETRY'],
  'our refund is SENT': ['RETRY'],
  'our refund is UNKNOWN': ['DID_EXECUTE', 'DID_NOT_EXECUTE', 'RETRY'],
  'our refund is HUMAN': ['DID_EXECUTE', 'DID_NOT_EXECUTE', 'RETRY'],
  'our refund is PENDING': ['RETRY'],
  'our refund is CONFIRMED': ['REFUND', 'RETRY'],
  'our refund is REJECTED': ALL,
  'our refund is NOT_SENT': ALL,
  'our refund is REVERSED': ALL,
};

describe('what is offered', () => {
  const offeredAs = (state: CaseState, title: string): string[] => {
    const situation = SITUATIONS.find((each) => each.title === title);
    if (situation === undefined) throw new Error(`there is no situation "${title}"`);
    return [...offeredIn(state, situation)].sort();
  };

  it.each(Object.entries(OFFERS))('of a held case: %s', (title, offered) => {
    expect(offeredAs('HUMAN', `${title}, before the deadline`)).toEqual([...offered].sort());
    const late = offered.filter((action) => action !== 'REFUND');
    expect(offeredAs('HUMAN', `${title}, after the deadline`)).toEqual([...late].sort());
  });

  it('of an acceptance that was not said yet is the same, but for accepting it', () => {
    for (const [title, offered] of Object.entries(OFFERS)) {
      const others = offered.filter((action) => action !== 'ACCEPT_DISPUTE');
      expect(offeredAs('DECIDED_ACCEPT', `${title}, before the deadline`), title).toEqual(
        [...others].sort(),
      );
    }
  });
});

describe('time', () => {
  it('has a step for every state that is not final, and for no other', () => {
    // The steps are only named here, never run. RECEIVED is the match stage's.
    const nothing: unknown = {};
    const steps = {
      ...createDecideSteps(nothing as DecideDeps),
      HUMAN: createHeldStep(nothing as DecideDeps),
      ...createRefundSteps(nothing as SagaDeps),
      ...createDeclareSteps(nothing as SagaDeps),
    };
    const expected = CASE_STATES.filter((state) => !isTerminal(state) && state !== 'RECEIVED');
    expect((Object.keys(steps) as CaseState[]).sort()).toEqual([...expected].sort());
  });
});
