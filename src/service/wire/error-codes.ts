import { z } from 'zod';
import { maybeText, text } from './fields.ts';

/**
 * Reads the body of a refusal: the standard envelope, or the `{detail}` that only the order update
 * answers for a missing order.
 */
export const errorEntrySchema = z.looseObject({
  code: text,
  message: z.string().nullish(),
  field: maybeText,
});
export type ErrorEntry = z.infer<typeof errorEntrySchema>;

/** The standard envelope. */
export const errorEnvelopeSchema = z.looseObject({ errors: z.array(errorEntrySchema).min(1) });

/** The exception: `404` of the order update. */
export const errorDetailSchema = z.looseObject({ detail: z.string() });

/** What a refusal says, or that it says nothing we can read. */
export type ErrorBody =
  | { readonly kind: 'envelope'; readonly errors: readonly ErrorEntry[] }
  | { readonly kind: 'detail'; readonly detail: string }
  | { readonly kind: 'unreadable' };

/** Reads a refusal's body. */
export function readErrorBody(body: unknown): ErrorBody {
  const envelope = errorEnvelopeSchema.safeParse(body);
  if (envelope.success) return { kind: 'envelope', errors: envelope.data.errors };
  const detail = errorDetailSchema.safeParse(body);
  if (detail.success) return { kind: 'detail', detail: detail.data.detail };
  return { kind: 'unreadable' };
}

/** What is known about one code. Codes are neutral here; `brand-tokens.ts` turns `NETA` and `NETB` into the real ones. */
export interface ErrorCodeFacts {
  /** `null` for the codes that are in the `errors[]` of an order create (answered 200 or 400). */
  readonly httpStatus: number | null;
  /** Whether the same request may succeed later without anybody changing anything. */
  readonly retryable: boolean;
  /** What went wrong and the next step. */
  readonly operatorText: string;
}

type FactsOf<Texts> = Readonly<Record<keyof Texts, ErrorCodeFacts>>;

/** Codes of one status, each with what an operator reads. */
function refused<Texts extends Readonly<Record<string, string>>>(
  httpStatus: number | null,
  texts: Texts,
  retryable = false,
): FactsOf<Texts> {
  const facts = Object.entries(texts).map(([code, operatorText]): [string, ErrorCodeFacts] => [
    code,
    { httpStatus, retryable, operatorText },
  ]);
  return Object.fromEntries(facts) as FactsOf<Texts>;
}

/** Code → facts. The status of the two ruleset codes is not shown; 422 is our reading. */
export const ERROR_CODES = {
  ...refused(401, {
    UNAUTHORISED:
      'The API key is invalid or expired, or an organisation key was used where a partner key is needed. Check the key.',
  }),
  ...refused(403, {
    FORBIDDEN: 'The API key lacks the ability for this call. Grant it in the dashboard.',
  }),
  ...refused(404, {
    NOT_FOUND: 'It does not exist, or the key does not reach it. Check the id and the key.',
  }),
  ...refused(422, {
    MERCHANT_TYPE_CHANGE_RESTRICTED:
      'The type cannot change while integrations, enrolments or data providers are related. Update the other fields without it.',
    MERCHANT_DELETION_RESTRICTED: 'The merchant has enrolments or alerts and cannot be deleted.',
    INVALID_MERCHANT_TYPE: 'The merchant type is not supported. Use one the service lists.',
    INVALID_REPRESENTMENT_SERVICE_TYPE:
      'The service type must be PHYSICAL_GOODS, ONLINE_SERVICES or OFFLINE_SERVICES, or be left out.',
    MERCHANTS_DIFFERENT_ORGANISATIONS:
      'The merchants of one enrolment must belong to one organisation. Split them.',
    DUPLICATE_MERCHANT_IDS: 'A merchant is listed twice. List each once.',
    MISSING_NETA_ALERT_CONFIG: 'An alert enrolment needs its descriptors. Add neta_alert.',
    MISSING_NETB_RDR_CONFIG: 'An RDR enrolment needs BIN and CAID, or ARNs. Add netb_rdr.',
    INVALID_MATCH_TYPE: 'A descriptor matches by STARTS_WITH or EXACT_MATCH only.',
    INVALID_NETB_RDR_CONFIG: 'Give BIN together with CAID, or ARNs alone.',
    NETA_ALERT_ENROLLMENT_ERROR:
      'The first network refused the enrolment. Read its message; change the descriptor.',
    NETB_RDR_ENROLLMENT_ERROR:
      'The second network refused the enrolment. Read its message; check BIN and CAID.',
    ENROLMENT_NOT_PENDING:
      'Only a PENDING enrolment can be cancelled. Ask the service to end this one.',
    ENROLMENT_TYPE_NOT_SUPPORTED: 'Descriptors can be appended to alert enrolments only.',
    ENROLMENT_STATUS_NOT_APPENDABLE:
      'The enrolment is in a status that takes no descriptors. Create a new one.',
    DUPLICATE_DESCRIPTOR:
      'The descriptor with this match type is there already, or twice in the request.',
    INVALID_ACTION: 'The alert was resolved already. Read it to see with which outcome.',
    SIMULATION_NOT_ALLOWED: 'Simulations work on test organisations only. Use a test key.',
  }),
  ...refused(
    429,
    {
      RATE_LIMITED:
        'More than 100 requests in a minute on this endpoint. Forestall waits and continues.',
    },
    true,
  ),
  ...refused(null, {
    DUPLICATE_ORDER: 'The order was sent before. Compare it with the stored one.',
    DUPLICATE_REFERENCE_ID:
      'The order was sent twice at the same time. Compare it with the stored one.',
    DUPLICATE_ITEM:
      'An item reference is in use by another order of this integration. Make it unique per order.',
    INVALID_ORDER_TYPE:
      'COMPLETE orders go to a CUSTOM_ORDERS integration, PARTIAL ones to a processor integration.',
    INVALID_INTEGRATION:
      'The integration is not one of this organisation. Check FORESTALL_INTEGRATION_ID.',
    ENRICHMENT_NOT_ENABLED:
      'Order enrichment is off for this integration. Ask the service to enable it.',
    MISSING_FIELD: 'A field that an enabled programme needs is missing. The message names both.',
  }),
  ...refused(422, {
    INVALID_CURRENCY_CODE: 'An amount rule takes USD only; other currencies are converted before.',
    RULES_NOT_ALLOWED_ON_RULESET_UPDATE:
      'Rules change through their own endpoints. Leave them out of the update.',
  }),
} as const satisfies Record<string, ErrorCodeFacts>;

/** A code of the specification, without the open `VALIDATION_*` family. */
export type ErrorCode = keyof typeof ERROR_CODES;

/** Every code, in the order of the table. */
export const ERROR_CODE_NAMES = Object.keys(ERROR_CODES) as readonly ErrorCode[];

/** The codes that say an order is there already. */
export const DUPLICATE_ORDER_CODES = ['DUPLICATE_ORDER', 'DUPLICATE_REFERENCE_ID'] as const;

/** What the codes of a whole-request schema failure begin with (422, orders). */
export const VALIDATION_CODE_PREFIX = 'VALIDATION_';

const VALIDATION_FACTS: ErrorCodeFacts = {
  httpStatus: 422,
  retryable: false,
  operatorText:
    'The service refused the whole request as malformed; nothing was stored. Correct it.',
};

/** Whether `code` is one of the table. */
export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERROR_CODES, code);
}

/** What is known about `code`, or `undefined` for one the specification does not name. */
export function errorCodeFacts(code: string): ErrorCodeFacts | undefined {
  if (isErrorCode(code)) return ERROR_CODES[code];
  return code.startsWith(VALIDATION_CODE_PREFIX) ? VALIDATION_FACTS : undefined;
}
