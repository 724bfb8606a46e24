/** Enrolments (v2): partner key only. */
import type { Enrolment, EnrolmentCreate, EnrolmentUpdate } from '../../wire/enrolment.ts';
import {
  enrolmentCreateSchema,
  enrolmentSchema,
  enrolmentUpdateSchema,
} from '../../wire/enrolment.ts';
import type { EnrolmentFilter, ReadList } from '../../wire/list.ts';
import type { Endpoint } from '../call.ts';
import type { PageQuery } from '../list.ts';
import type { CallOptions } from '../options.ts';
import type { Sender } from '../sender.ts';

/** Operations on enrolments. */
export interface EnrolmentsResource {
  list(filter?: EnrolmentFilter, options?: CallOptions): AsyncIterable<Enrolment>;
  page(query?: EnrolmentFilter & PageQuery, options?: CallOptions): Promise<ReadList<Enrolment>>;
  get(enrolmentId: string, options?: CallOptions): Promise<Enrolment>;
  create(body: EnrolmentCreate, options?: CallOptions): Promise<Enrolment>;
  /** Appends descriptors to an alert enrolment; nothing is ever removed or changed. */
  update(enrolmentId: string, body: EnrolmentUpdate, options?: CallOptions): Promise<Enrolment>;
  /** Cancels a `PENDING` enrolment and returns it as `CANCELLED`. */
  cancel(enrolmentId: string, options?: CallOptions): Promise<Enrolment>;
}

const LIST: Endpoint = { method: 'GET', template: '/v2/enrolments', key: 'partner' };
const CREATE: Endpoint = { ...LIST, method: 'POST', writer: enrolmentCreateSchema };
const GET: Endpoint = {
  method: 'GET',
  template: '/v2/enrolments/{enrolment_id}',
  key: 'partner',
  ids: ['enrolment'],
};
const UPDATE: Endpoint = { ...GET, method: 'PATCH', writer: enrolmentUpdateSchema };
const CANCEL: Endpoint = { ...GET, method: 'DELETE' };

export function createEnrolments(sender: Sender): EnrolmentsResource {
  return {
    list: (query, options) => sender.all(LIST, { query, options }, enrolmentSchema),
    page: (query, options) => sender.page(LIST, { query, options }, enrolmentSchema),
    get: (id, options) => sender.one(GET, { ids: [id], options }, enrolmentSchema),
    create: (body, options) => sender.one(CREATE, { body, options }, enrolmentSchema),
    update: (id, body, options) =>
      sender.one(UPDATE, { ids: [id], body, options }, enrolmentSchema),
    cancel: (id, options) => sender.one(CANCEL, { ids: [id], options }, enrolmentSchema),
  };
}
