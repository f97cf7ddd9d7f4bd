import type { AnySagaKind } from '../../work/sagas/saga.ts'
import { actingOnCloudCKey } from './keys/act-on-key.ts'
import { creatingCloudC } from './keys/create-key.ts'
import { VERSION_ACTIONS, VERSION_DELETION } from './versions/act-on-version.ts'
import { addingCloudCVersion } from './versions/new-version.ts'
import { reimportingCloudC } from './versions/reimport-version.ts'

/** The sagas of cloud-c. */
export const cloudCSagas: readonly AnySagaKind[] = [
  actingOnCloudCKey,
  creatingCloudC,
  VERSION_ACTIONS.saga,
  VERSION_DELETION.saga,
  addingCloudCVersion,
  reimportingCloudC,
]
