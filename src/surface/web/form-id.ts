/** The id that each form of a page has, so that the outcome can be looked up. */
import { randomBytes } from 'node:crypto';

/** The hidden field that holds it. */
export const SENT_AS = 'sent_as';

/** 128 bits: another's cannot be guessed. */
const ID_BYTES = 16;
const FORM_ID = /^[A-Za-z0-9_-]{22}$/;

export function createFormId(): string {
  return randomBytes(ID_BYTES).toString('base64url');
}

export function isFormId(text: unknown): text is string {
  return typeof text === 'string' && FORM_ID.test(text);
}

/** Where the outcome of a form is looked up. */
export const SENT_PATH = '/sent';
