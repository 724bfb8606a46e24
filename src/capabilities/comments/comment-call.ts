/** The call of the JSON API that comments on an alert. */
import { z } from 'zod';
import { nowDate } from '../../base/kernel/clock.ts';
import { changes } from '../../surface/access/call-needs.ts';
import { listPeople } from '../../surface/access/operator.store.ts';
import { describeApiChange } from '../../surface/web/api-call.ts';
import { operatorOf } from '../../surface/web/auth.ts';
import { API_TAGS } from '../../surface/web/operation.ts';
import { alertIdOf, note } from '../../surface/web/query.ts';
import { NOT_FOUND } from '../../surface/web/reply.ts';
import { COMMENT_REFUSALS, commentOnAlert } from './comment.ts';

export const commentCall = describeApiChange({
  call: 'POST /api/reviews/{id}/comments',
  needs: changes('reviews:write'),
  tag: API_TAGS.reviews,
  summary: 'Comment on a review',
  body: z.strictObject({ text: note.min(1) }),
  answers: { 200: z.strictObject({ claimed_until: z.iso.datetime().nullable() }) },
  refusals: [404],
  answer:
    ({ options: { db, organisationId, clock } }) =>
    async ({ body: { text }, params, caller }) => {
      const alertId = alertIdOf({ params });
      if (alertId === undefined) return { status: 404, fault: NOT_FOUND };
      const people = (await listPeople(db, organisationId)).map(({ name }) => name);
      const by = { operator: operatorOf(caller), now: nowDate(clock), people };
      const act = { organisationId, alertId, ...by };
      const refusal = await commentOnAlert(db, act, text);
      return refusal === undefined
        ? { status: 200, body: { claimed_until: null } }
        : { status: 404, fault: { code: 'NOT_FOUND', message: COMMENT_REFUSALS[refusal] } };
    },
});
