/** Queries of the index by which the sweeper finds items that are due. */
import type { Key } from './layout.ts'
import { query, text, type Attributes } from './table.ts'

interface DueQuery {
  readonly due: string
  readonly until: Date
  readonly limit: number
  /** domains whose items are skipped; the query continues past them */
  readonly except?: readonly string[]
  readonly after?: Attributes | undefined
}

/** The query for one page of the due index. */
function dueInput({ due, until, limit, except = [], after }: DueQuery): Parameters<typeof query>[0] {
  const names = except.map((domain, at) => [`:not${at}`, { S: `${domain}#` }] as const)
  return {
    IndexName: 'due',
    KeyConditionExpression: 'due = :due AND due_at <= :until',
    ExpressionAttributeValues: {
      ':due': { S: due },
      ':until': { S: until.toISOString() },
      ...Object.fromEntries(names),
    },
    ...(names.length > 0 && {
      FilterExpression: names.map(([name]) => `NOT begins_with(pk, ${name})`).join(' AND '),
    }),
    ...(after === undefined ? {} : { ExclusiveStartKey: after }),
    // A limit also counts the items that a filter excludes, so a filtered page is 1 MB of the index.
    ...(names.length === 0 && { Limit: limit }),
  }
}

/** Keys of the items due under `due` at `until`, oldest first. Eventually consistent: an index. */
export async function queryDue(due: string, until: Date, limit: number): Promise<Key[]> {
  const reply = await query(dueInput({ due, until, limit }))
  return (reply.Items ?? []).map((item) => ({ pk: text(item, 'pk'), sk: text(item, 'sk') }))
}

/** When the oldest item under `due` came due (RFC 3339); `undefined` if none is due at `until`. */
export async function oldestDue(due: string, until: Date): Promise<string | undefined> {
  const reply = await query(dueInput({ due, until, limit: 1 }))
  const [item] = reply.Items ?? []
  return item && text(item, 'due_at')
}

/** Like `queryDue`, without the items of some domains, whose number would hide those of the others. */
export async function queryDueBeside(
  due: string,
  until: Date,
  limit: number,
  except: readonly string[],
): Promise<Key[]> {
  const found: Key[] = []
  for (let after: Attributes | undefined; ;) {
    const reply = await query(dueInput({ due, until, limit, except, after }))
    found.push(...(reply.Items ?? []).map((item) => ({ pk: text(item, 'pk'), sk: text(item, 'sk') })))
    after = reply.LastEvaluatedKey
    if (after === undefined || found.length >= limit) return found.slice(0, limit)
  }
}
