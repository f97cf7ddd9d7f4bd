import { ask, everyPage, Nothing } from './client.ts'
import { equals, keyPath, read, versionsPath } from './reading.ts'
import type { DatacustUnpublished } from './types.ts'
import { Application, Backup } from './wire.ts'

/*
 * Ours: the cloud publishes neither paths nor bodies of these calls. Only this file and `references.ts` contain them,
 * so that the true ones can replace them.
 */

export const unpublished: DatacustUnpublished = {
  applications: async (entry, groupId) => {
    const query = { $filter: equals('groupId', groupId) }
    const found = await everyPage(entry, Application, { path: '/applications', query }, () => undefined)
    return found.map(({ id, name }) => ({ id, name, group_id: groupId }))
  },

  backup: async (place, ref) =>
    (await ask(place, { method: 'POST', path: `${keyPath(ref)}/backup`, body: {}, reply: Backup })).backup,

  restore: async (place, ref, backup) => {
    if ((await read(place, ref)) !== undefined) return
    await ask(place, { method: 'POST', path: '/keys/restore', body: { backup }, reply: Nothing })
  },

  updateVersion: async (place, ref, version, change) => {
    const path = `${versionsPath(ref)}/${encodeURIComponent(version)}`
    await ask(place, { method: 'PATCH', path, body: change, reply: Nothing })
  },
}
