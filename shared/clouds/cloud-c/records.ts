import type { CloudRecords } from '../../cloud/cloud-row.ts'
import { containerRecords } from '../../cloud/containers/entity.ts'
import { cloudCKeys } from './keys/store.ts'
import { countOf } from '../../store/list.ts'
import { removing } from '../../store/remove-some.ts'
import { cloudCProjects } from './projects/store.ts'
import { ringPurge } from './rings/purge-ring.ts'
import { cloudCRings } from './rings/store.ts'

export const cloudCRecords: CloudRecords = {
  containers: [
    containerRecords(cloudCProjects, 'deleting projects'),
    containerRecords(cloudCRings, 'removing key rings', true),
  ],
  countKeys: (domain) => countOf(cloudCKeys, domain, 'all'),
  purge: [...ringPurge.steps, removing(cloudCRings, 'all'), removing(cloudCProjects, 'all')],
}
