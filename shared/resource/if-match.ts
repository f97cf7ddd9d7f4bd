import type { Context } from '../http/context.ts'
import { Refusal } from '../base/errors.ts'
import { etagOf } from '../http/operation.ts'

/**
 * Refuses a change to a record that the caller has not seen in its present revision. `If-Match` may name several tags,
 * or `*`.
 * @throws Refusal VERSION_STALE
 * @see RFC 9110 §13.1.1
 */
export function assertIfMatch({ ifMatch }: Pick<Context, 'ifMatch'>, { rev }: { readonly rev: number }): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') return
  if (ifMatch.split(',').some((tag) => tag.trim() === etagOf(rev))) return
  throw new Refusal('VERSION_STALE', 'The record has changed since you read it (If-Match): read it again.')
}
