/** Names of values that one room writes and another reads. */

/** Why the policy file as it is now cannot be used, and since when; absent while it can. */
export const POLICY_PROBLEM = 'policy_problem';

/** ISO 8601: when the certificate that a listener of ours serves ends. */
export const CERTIFICATE_END = 'certificate_ends_at';
