import { Refusal } from '../../base/errors.ts'
import { fieldsOf } from '../../base/json.ts'
import type { Context } from '../../http/context.ts'
import type { ResourceList } from '../../resource/listed.ts'
import { comparing, RECORDS_SORTED } from '../../resource/sorted.ts'
import { domainAsked } from '../domain-asked.ts'
import { firstHead, headsByNumber, type Head } from '../log/heads.ts'
import { logOf } from '../log/store.ts'
import type { AuditTreeHead, HeadQuery } from './model.ts'

const shown = ({ at, ...head }: Head): AuditTreeHead => ({ ...head, createdAt: at })

/** Sort fields that have the order of the heads' numbers. */
const NATURAL: readonly string[] = ['createdAt', 'size']

/**
 * Signed heads, newest first. The cost is the same for any `skip`, except with other sort fields.
 * @throws Refusal RULE_BROKEN with too many heads to sort by such a field
 */
export async function listHeads(context: Context, query: HeadQuery): Promise<ResourceList<AuditTreeHead>> {
  const { skip, limit, createdAfter: after, createdBefore: before, sort = [] } = query
  const domain = await domainAsked(context, query.domain)
  const count = (await logOf(domain))?.item.heads ?? 0
  const from = (time: string) => firstHead(domain, count, ({ at }) => Date.parse(at) >= Date.parse(time))
  const first = after === undefined ? 0 : await from(after)
  const end = Math.max(first, before === undefined ? count : await from(before))
  const total = end - first
  const [term] = sort
  if (term !== undefined && !NATURAL.includes(term.by)) {
    if (total > RECORDS_SORTED)
      throw new Refusal(
        'RULE_BROKEN',
        `There are more than ${RECORDS_SORTED} heads to sort by ${term.by}: narrow them by createdAfter and createdBefore.`,
      )
    const heads = (await headsByNumber(domain, first, end)).map(shown)
    heads.sort(comparing(sort, (head, by) => fieldsOf(head)[by]))
    return { skip, limit, total, resources: heads.slice(skip, skip + limit) }
  }
  if (term?.descending === false) {
    const heads = await headsByNumber(domain, Math.min(end, first + skip), Math.min(end, first + skip + limit))
    return { skip, limit, total, resources: heads.map(shown) }
  }
  const last = Math.max(first, end - skip)
  const heads = await headsByNumber(domain, Math.max(first, last - limit), last)
  return { skip, limit, total, resources: heads.reverse().map(shown) }
}
