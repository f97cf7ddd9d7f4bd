import { synchronizedVersions } from '../../cloud/keys/versions/synchronize-versions.ts'
import { versionKind } from './keys/kind.ts'
import { openRing } from './place.ts'
import { CONTAINER_LIST } from './name.ts'

/** Keys of key rings, with their versions. */
export const cloudCSynchronized = synchronizedVersions(versionKind, {
  may: 'keysynchronize',
  containerList: CONTAINER_LIST,
  placesOf: ({ id, name, location }) => ({ id, name, regions: [location] }),
  openContainer: openRing,
})
