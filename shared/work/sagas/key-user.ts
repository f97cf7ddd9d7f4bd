import type { KeyUser } from '../../vault/keys/lifecycle/key-users.ts'
import { openUploadsOf } from './store.ts'

/** Work under way that uploads material of a local key: its record of the cloud key does not exist yet. */
export const uploadsUnderWay: KeyUser = {
  usesOf: async ({ caller }, _name, versions) => {
    const count = await openUploadsOf(
      caller.domain.id,
      versions.map(({ item }) => item.id),
    )
    return [{ noun: 'unfinished upload', count }]
  },
}
