/** What a call of the JSON API asks: the role of a person, the verb of a program, and whether a person must have proved who they are. */
import { pathOfOrganisation } from '../web/addresses.ts';
import type { Needs } from './needs.ts';
import type { Verb } from './role.ts';

/** What a call asks of people, and which verb of programs: one of them suffices. */
export interface CallNeeds extends Needs {
  readonly verbs: readonly Verb[] | 'any';
}

export const reads = (...verbs: Verb[]): CallNeeds => ({ role: 'viewer', proof: 'never', verbs });
export const changes = (...verbs: Verb[]): CallNeeds => ({
  role: 'reviewer',
  proof: 'never',
  verbs,
});
export const movesMoney = (...verbs: Verb[]): CallNeeds => ({
  role: 'reviewer',
  proof: 'by what is asked',
  verbs,
});
export const FOR_PEOPLE: CallNeeds = { role: 'administrator', proof: 'always', verbs: [] };

/** What a request asks; `path` may begin with its organisation. */
export type NeedsOfCall = (method: string, path: string) => CallNeeds;

/**
 * @param table by method and path, as the OpenAPI document names them. A call that is not there is for administrators
 *   who have just proved who they are; one that only reads, for people who may see.
 */
export function findNeedsIn(table: Readonly<Record<string, CallNeeds>>): NeedsOfCall {
  const known = Object.entries(table).map(([call, needs]) => {
    const [method = '', path = ''] = call.split(' ');
    // As the router reads paths: in any capitals, with or without a slash at the end.
    const pattern = new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}/?$`, 'i');
    return { method, pattern, needs };
  });
  return (method, path) => {
    const isRead = method === 'GET' || method === 'HEAD';
    const asked = isRead ? 'GET' : method;
    const here = pathOfOrganisation(path);
    const found = known.find((each) => each.method === asked && each.pattern.test(here));
    if (found !== undefined) return found.needs;
    return isRead ? reads() : FOR_PEOPLE;
  };
}
