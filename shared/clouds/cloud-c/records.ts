import type { CloudRecords } from '../../cloud/cloud-row.ts'
import { connectionUser } from '../../cloud/connections/users-of.ts'
import { aclHolder } from '../../identity/acl-entries.ts'
import { pageOf } from '../../store/list.ts'
import { removing, type PurgeStep } from '../../store/remove-some.ts'
import { cloudCKeys } from './keys/store.ts'
import { cloudCProjects, projectsOfConnection } from './projects/store.ts'
import { removeSomeOfKey } from './rings/purge-ring.ts'
import { ringPurges } from './rings/purge-store.ts'
import { cloudCRings, ringsOfConnection } from './rings/store.ts'

/** A key goes after its versions. */
const removingKeys: PurgeStep = async (domain, now) => {
  const { items } = await pageOf(cloudCKeys, domain, 'all', { skip: 0, limit: 1 })
  const [key] = items
  return key !== undefined && removeSomeOfKey(domain, key.item.id, now)
}

export const cloudCRecords: CloudRecords = {
  containers: [
    {
      aclHolder: aclHolder(cloudCProjects, 'deleting projects'),
      connectionUser: connectionUser(cloudCProjects, projectsOfConnection),
      countIn: async (domain) => (await pageOf(cloudCProjects, domain, 'all', { skip: 0, limit: 0 })).total,
    },
    {
      aclHolder: aclHolder(cloudCRings, 'removing key rings'),
      connectionUser: connectionUser(cloudCRings, ringsOfConnection),
    },
  ],
  purge: [removingKeys, removing(ringPurges, 'all'), removing(cloudCRings, 'all'), removing(cloudCProjects, 'all')],
}
