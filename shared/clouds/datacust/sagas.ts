import type { AnySagaKind } from '../../work/sagas/saga.ts'
import { actingOnDatacustKey } from './keys/act-on-key.ts'
import { creatingDatacust } from './keys/create-key.ts'
import { deletingDatacustKey } from './keys/delete-key.ts'
import { actingOnReference, creatingReference } from './references/references.ts'
import { VERSION_ACTIONS } from './versions/act-on-version.ts'
import { addingDatacustVersion } from './versions/new-version.ts'

/** Work of several calls that an interruption may leave unfinished. */
export const datacustSagas: readonly AnySagaKind[] = [
  actingOnDatacustKey,
  creatingDatacust,
  deletingDatacustKey,
  VERSION_ACTIONS.saga,
  addingDatacustVersion,
  creatingReference,
  actingOnReference,
]
