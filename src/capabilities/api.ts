/** The calls of the JSON API that capabilities bring; a worker loads none. */
import type { ApiCall } from '../surface/web/api-call.ts';
import { changesCall } from './events/changes-call.ts';
import { historyCall } from './history/history-call.ts';

export const CAPABILITY_API: readonly ApiCall[] = [historyCall, changesCall];
