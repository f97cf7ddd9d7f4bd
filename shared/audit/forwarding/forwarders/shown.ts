import type { Stored } from '../../../store/entity.ts'
import { patched, without } from '../../../base/fields.ts'
import type { LogForwarder, PlainSyslog } from './model.ts'
import { cursorId, logCursors, type StoredLogForwarder, type StoredPlainSyslog } from './store.ts'

/** Targets with their progress in the log of their own domain. One read for 100. */
async function withProgress<T extends { readonly id: string }>(domain: string, items: readonly T[]) {
  const cursors = await logCursors.getMany(
    domain,
    items.map(({ id }) => cursorId(id, domain)),
  )
  const byTarget = new Map(cursors.map(({ item }) => [item.target, item]))
  return items.map((item) => {
    const { last_error, last_sent_at } = byTarget.get(item.id) ?? {}
    return patched<T & { last_error?: string; last_sent_at?: string }>(item, { last_error, last_sent_at } as object)
  })
}

/** Forwarders as shown, in their order. */
export const shownForwarders = (
  domain: string,
  stored: readonly Stored<StoredLogForwarder>[],
): Promise<LogForwarder[]> =>
  withProgress(
    domain,
    stored.map(({ item }) => without(item, 'since', 'sealed')),
  )

/** Servers as shown, in their order. */
export const shownSyslogs = (domain: string, stored: readonly Stored<StoredPlainSyslog>[]): Promise<PlainSyslog[]> =>
  withProgress(
    domain,
    stored.map(({ item }) => item),
  )

/** One record as shown. @param present of several */
export async function shownOne<T, S>(
  present: (domain: string, stored: readonly Stored<T>[]) => Promise<S[]>,
  domain: string,
  stored: Stored<T>,
): Promise<Stored<S>> {
  const [item] = await present(domain, [stored])
  if (item === undefined) throw new Error('One record presented as none')
  return { item, rev: stored.rev }
}
