import type { AnySagaKind } from '../../work/sagas/saga.ts'
import { actingOnCloudDKey } from './keys/act-on-key.ts'
import { creatingCloudD } from './keys/create-key.ts'
import { VERSION_ACTIONS } from './versions/act-on-version.ts'
import { addingCloudDVersion } from './versions/new-version.ts'

/** Work of several calls that an interruption may leave unfinished. */
export const cloudDSagas: readonly AnySagaKind[] = [
  actingOnCloudDKey,
  creatingCloudD,
  VERSION_ACTIONS.saga,
  addingCloudDVersion,
]
