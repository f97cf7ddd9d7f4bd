import { synchronizedVersions } from '../../cloud/keys/versions/synchronize-versions.ts'
import { keyKind } from './keys/kind.ts'
import { CONTAINER_LIST } from './name.ts'
import { synchronizeReferences } from './references/synchronize.ts'

/** Keys of groups, with their versions, and the dynamic references to them. */
export const datacustSynchronized = synchronizedVersions(keyKind, {
  may: 'keysynchronize',
  containerList: CONTAINER_LIST,
  locationOf: () => '',
  hasDigests: true,
  others: (domain, group, place) => ({
    noun: 'dynamic references',
    synchronize: (now) => synchronizeReferences(domain, group, place, now),
  }),
})
