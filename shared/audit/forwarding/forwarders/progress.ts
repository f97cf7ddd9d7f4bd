import { defined } from '../../../base/fields.ts'
import { cursorId, logCursors } from './store.ts'

/** Targets with their progress in the log of their own domain, in the given order. One read for 100. */
export async function withProgress<T extends { readonly id: string }>(domain: string, items: readonly T[]) {
  const cursors = await logCursors.getMany(
    domain,
    items.map(({ id }) => cursorId(id, domain)),
    'leave out',
  )
  const byTarget = new Map(cursors.map(({ item }) => [item.target, item]))
  return items.map((item) => {
    const { last_error, last_sent_at } = byTarget.get(item.id) ?? {}
    return { ...item, ...defined({ last_error, last_sent_at }) }
  })
}
