import type { AnySagaKind } from '../../work/sagas/saga.ts'
import { connectingKeyStore, disconnectingKeyStore } from './key-stores/connect-key-store.ts'
import { creatingKeyStore } from './key-stores/create-key-store.ts'
import { deletingKeyStore } from './key-stores/delete-key-store.ts'
import { linkingKeyStore } from './key-stores/link-key-store.ts'
import { rotatingCredential } from './key-stores/rotate-credential.ts'
import { updatingKeyStore } from './key-stores/update-key-store.ts'
import { linking } from './hosted-keys/linking.ts'
import { actingOnKey } from './keys/actions.ts'
import { creatingCloudA } from './keys/create-key.ts'
import { importing } from './keys/import-material.ts'
import { replicating } from './keys/replicate-key.ts'
import { rotating } from './keys/rotate-key.ts'
import { rotatingMaterial } from './keys/rotate-material.ts'

/** The sagas of cloud-a. */
export const cloudASagas: readonly AnySagaKind[] = [
  connectingKeyStore,
  disconnectingKeyStore,
  creatingKeyStore,
  deletingKeyStore,
  linkingKeyStore,
  rotatingCredential,
  updatingKeyStore,
  linking,
  actingOnKey,
  creatingCloudA,
  importing,
  replicating,
  rotating,
  rotatingMaterial,
]
