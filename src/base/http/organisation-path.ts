/** Where the pages and the API of one of several organisations are, in the console. */

/** In front of their addresses. */
export const ORGANISATIONS_PATH = '/organisations';

/** How people and addresses call one of several organisations. */
export interface OrganisationName {
  readonly name: string;
  /** How an address names the organisation. */
  readonly path: string;
}

/** The address of an organisation. */
export function organisationPath(organisation: string, path = '/'): string {
  return `${ORGANISATIONS_PATH}/${encodeURIComponent(organisation)}${path}`;
}
