import { synchronizedVersions } from '../../cloud/keys/versions/synchronize-versions.ts'
import { cloudC } from './cloud.ts'
import { versionKind } from './keys/kind.ts'
import { openRing } from './place.ts'

/** Keys of key rings, with their versions. */
export const cloudCSynchronized = synchronizedVersions(versionKind, {
  may: 'keysynchronize',
  containerList: cloudC.containerList,
  placesOf: ({ id, name, location }) => ({ id, name, regions: [location] }),
  openContainer: openRing,
})
