/**
 * Compiles `also:`, what a rule wants done besides its answer.
 */
import type { SideAction } from '../alerts/decide/policy.ts';
import { SIDE_ACTIONS } from '../alerts/decide/policy.ts';
import type { Place, Problems, SourceNode } from './source.ts';
import { suggestion } from './suggestion.ts';

/** Longest text of a `notify`. */
export const NOTIFY_LENGTH_MAX = 300;

/** Compiles `cancel_subscription`, or a list like `[stop_fulfilment, {notify: "look at this"}]`. */
export function compileSideActions(
  node: SourceNode,
  problems: Problems,
): readonly SideAction[] | undefined {
  const items = node.kind === 'list' ? node.items : [node];
  if (items.length === 0) return problems.add(node.at, 'the list of "also" is empty.');
  const actions: SideAction[] = [];
  for (const item of items) {
    const action = compileSideAction(item, problems);
    if (action === undefined) return undefined;
    if (actions.some(({ kind }) => kind === action.kind)) {
      return problems.add(item.at, `${action.kind} is named twice. Keep one of them.`);
    }
    actions.push(action);
  }
  return actions;
}

function compileSideAction(node: SourceNode, problems: Problems): SideAction | undefined {
  const [entry, second] = node.kind === 'map' ? node.entries : [];
  if (second !== undefined) return problems.add(second.at, 'one per line: put a "-" before it.');
  const word = node.kind === 'text' ? node.text : (entry?.key ?? '');
  const at: Place = entry?.at ?? node.at;
  const kind = SIDE_ACTIONS.find((candidate) => candidate === word);
  if (kind === undefined) {
    const shown = word === '' ? 'an action is missing' : `unknown action "${word}"`;
    return problems.add(at, `${shown}. ${suggestion(word, SIDE_ACTIONS)}`);
  }
  if (entry === undefined) return kind === 'notify' ? { kind, text: null } : { kind };
  if (kind !== 'notify') return problems.add(entry.value.at, `${kind} takes nothing after it.`);
  const text = entry.value.kind === 'text' ? entry.value.text : '';
  if (text === '' || text.length > NOTIFY_LENGTH_MAX) {
    return problems.add(
      entry.value.at,
      `notify takes a text of 1 to ${NOTIFY_LENGTH_MAX} characters.`,
    );
  }
  return { kind, text };
}
