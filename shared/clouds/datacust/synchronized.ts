import { synchronizedVersions } from '../../cloud/keys/versions/synchronize-versions.ts'
import { keyKind } from './keys/kind.ts'
import { CONTAINER_LIST } from './name.ts'

/** Keys of groups, with their versions. */
export const datacustSynchronized = synchronizedVersions(keyKind, {
  may: 'keysynchronize',
  containerList: CONTAINER_LIST,
  locationOf: () => '',
})
