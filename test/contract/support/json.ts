/** JSON as it came, to be compared with literal JSON. */

// biome-ignore lint/suspicious/noExplicitAny: answers are compared, not trusted
export type Json = any;

/** The JSON body of an answer. */
export async function jsonOf(response: Response): Promise<Json> {
  return response.json();
}
