import type { Context } from '../../http/context.ts'
import { without } from '../../base/fields.ts'
import { logForwarders } from './forwarders/store.ts'

const using = (domain: string, connectionId: string): Promise<string[]> =>
  logForwarders.members(domain, `connection:${connectionId}`)

/**
 * Forwarders use connections: a connection in use can only be deleted by force. Then its forwarders fail until they get
 * another one.
 */
export const forwardersUsing = {
  using,
  namesOf: async (domain: string, ids: readonly string[]): Promise<string[]> =>
    (await logForwarders.getMany(domain, ids, 'leave out')).map(({ item }) => item.name),
  detach: async ({ caller, changes, now }: Context, ids: readonly string[]): Promise<void> => {
    const domain = caller.domain.id
    for (const stored of await logForwarders.getMany(domain, ids))
      changes.update(logForwarders, domain, stored, {
        ...without(stored.item, 'connection_id'),
        updatedAt: now.toISOString(),
      })
  },
}
