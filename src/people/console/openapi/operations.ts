/**
 * Every operation of the JSON API. A test compares the list with the routes that are served, and holds
 * answers against what is here.
 */
import { z } from 'zod';
import { CAPABILITY_API } from '../../../capabilities/pages.ts';
import { orderSchema } from '../../../service/wire/order.ts';
import { orderUpdateSchema } from '../../../service/wire/order-update.ts';
import type { Operation } from '../../../surface/web/operation.ts';
import { API_TAGS, MONEY_MAY_MOVE } from '../../../surface/web/operation.ts';
import {
  alertSearchQuery,
  decisionBody,
  eventListQuery,
  findingListQuery,
} from '../../../surface/web/query.ts';
import { choiceBody } from '../api-match.ts';
import { approveBody, handOverBody, pauseBody, queueQuery } from '../api-reviews.ts';
import { alertDetail, alertItem } from './alert-answers.ts';
import {
  accepted,
  approved,
  claimed,
  event,
  finding,
  guardStatus,
  pageOf,
  paused,
  quarantined,
  resumed,
  review,
  reviewDetail,
  sideActions,
} from './answers.ts';
import { intakeResult, intakeResults, order, orderChange } from './order-answers.ts';

const orderQuery = z.object({
  integration_id: z
    .string()
    .optional()
    .meta({ description: 'Needed where several integrations have an order of this reference.' }),
});

function tagged(
  tag: Operation['tag'],
  operations: Readonly<Record<string, Omit<Operation, 'tag'>>>,
): Record<string, Operation> {
  return Object.fromEntries(
    Object.entries(operations).map(([call, operation]) => [call, { tag, ...operation }]),
  );
}

export const OPERATIONS: Readonly<Record<string, Operation>> = {
  ...tagged(API_TAGS.alerts, {
    'GET /api/alerts': {
      summary: 'Alerts that match the filter, the next deadline first',
      query: alertSearchQuery,
      answers: { 200: pageOf(alertItem) },
    },
    'GET /api/alerts/{id}': {
      summary: 'Everything about one alert',
      answers: { 200: alertDetail },
      refusals: [404],
    },
    'POST /api/alerts/{id}/decision': {
      summary: 'Decide about an alert that waits for people',
      description: MONEY_MAY_MOVE,
      body: decisionBody,
      answers: { 202: accepted },
      refusals: [404, 409, 422],
    },
    'POST /api/alerts/{id}/match': {
      summary: 'Choose the charge that an alert is about',
      description: 'The policy may refund it without asking anybody again.',
      body: choiceBody,
      answers: { 202: accepted },
      refusals: [404, 409],
    },
    'POST /api/alerts/{id}/approve': {
      summary: 'Answer as the second person',
      description: MONEY_MAY_MOVE,
      body: approveBody,
      answers: { 200: approved },
      refusals: [404, 409],
    },
    'GET /api/alerts/{id}/side-actions': {
      summary: 'What is done besides answering the alert',
      answers: { 200: sideActions },
      refusals: [404],
    },
  }),
  ...tagged(API_TAGS.reviews, {
    'GET /api/reviews': {
      summary: 'Alerts that wait for people, the one that Forestall acts on first at the top',
      query: queueQuery,
      answers: { 200: pageOf(review) },
    },
    'GET /api/reviews/{id}': {
      summary: 'One review, with its comments and what the second person said',
      answers: { 200: reviewDetail },
      refusals: [404],
    },
    'POST /api/reviews/{id}/claim': {
      summary: 'Take a review',
      answers: { 200: claimed },
      refusals: [404, 409],
    },
    'POST /api/reviews/{id}/hand-back': {
      summary: 'Give a review back',
      answers: { 200: claimed },
      refusals: [404, 409],
    },
    'POST /api/reviews/{id}/hand-over': {
      summary: 'Give a review to a colleague',
      body: handOverBody,
      answers: { 200: claimed },
      refusals: [404, 409, 422],
    },
  }),
  ...tagged(API_TAGS.operations, {
    'GET /api/pause': {
      summary: 'Whether money may move, and how every part is',
      answers: { 200: guardStatus },
    },
    'POST /api/pause': { summary: 'Stop every refund', body: pauseBody, answers: { 200: paused } },
    'POST /api/resume': { summary: 'Let money move again', answers: { 200: resumed } },
    'GET /api/findings': {
      summary: 'Where the service, the processor and our books disagree',
      query: findingListQuery,
      answers: { 200: pageOf(finding) },
    },
    'GET /api/events': {
      summary: 'Webhooks that were stored, the newest first',
      query: eventListQuery,
      answers: { 200: pageOf(z.union([event, quarantined])) },
    },
    'POST /api/events/{id}/replay': {
      summary: 'Apply a stored webhook once more',
      answers: { 202: accepted },
      refusals: [404, 409, 422],
    },
  }),
  ...tagged(API_TAGS.orders, {
    'POST /api/orders': {
      summary: 'Hand in an order, or an array of up to 1,000',
      description: 'Answered once it is stored. It is sent to the service afterwards.',
      body: z.union([orderSchema, z.array(orderSchema).min(1).max(1_000)]),
      answers: { 200: z.union([intakeResult, intakeResults]), 201: intakeResult },
      refusals: [409, 422],
    },
    'PATCH /api/orders/{reference_id}': {
      summary: 'Change an order',
      query: orderQuery,
      body: orderUpdateSchema,
      answers: { 200: orderChange },
      refusals: [404, 422],
    },
    'GET /api/orders/{reference_id}': {
      summary: 'Where an order stands',
      query: orderQuery,
      answers: { 200: order },
      refusals: [404],
    },
  }),
  ...Object.fromEntries(CAPABILITY_API.map(({ call, operation }) => [call, operation])),
};
