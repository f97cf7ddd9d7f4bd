import type { CloudRecords } from '../../cloud/cloud-row.ts'
import { containerRecords } from '../../cloud/containers/entity.ts'
import { removing } from '../../store/remove-some.ts'
import { cloudCProjects } from './projects/store.ts'
import { ringPurge } from './rings/purge-ring.ts'
import { cloudCRings } from './rings/store.ts'

export const cloudCRecords: CloudRecords = {
  containers: [
    containerRecords(cloudCProjects, 'deleting projects'),
    containerRecords(cloudCRings, 'removing key rings', true),
  ],
  purge: [...ringPurge.steps, removing(cloudCRings, 'all'), removing(cloudCProjects, 'all')],
}
