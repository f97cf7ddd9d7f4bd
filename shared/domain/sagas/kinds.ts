import { connectingKeyStore, disconnectingKeyStore } from '../cloud-a/custom-key-stores/connect-key-store.ts'
import { creatingKeyStore } from '../cloud-a/custom-key-stores/create-key-store.ts'
import { deletingKeyStore } from '../cloud-a/custom-key-stores/delete-key-store.ts'
import { linkingKeyStore } from '../cloud-a/custom-key-stores/link-key-store.ts'
import { rotatingCredential } from '../cloud-a/custom-key-stores/rotate-credential.ts'
import { updatingKeyStore } from '../cloud-a/custom-key-stores/update-key-store.ts'
import { linking } from '../cloud-a/hosted-keys/linking.ts'
import { actingOnKey } from '../cloud-a/keys/actions.ts'
import { creating } from '../cloud-a/keys/create-key.ts'
import { importing } from '../cloud-a/keys/import-material.ts'
import { replicating } from '../cloud-a/keys/replicate-key.ts'
import { rotating } from '../cloud-a/keys/rotate-key.ts'
import { rotatingMaterial } from '../cloud-a/keys/rotate-material.ts'
import { uploading } from '../cloud-a/keys/upload-key.ts'
import { actingOnCloudCKey } from '../cloud-c/keys/act-on-key.ts'
import { creatingCloudC } from '../cloud-c/keys/create-key.ts'
import { uploadingCloudC } from '../cloud-c/keys/upload-key.ts'
import { actingOnCloudCVersion } from '../cloud-c/versions/act-on-version.ts'
import { addingCloudCVersion } from '../cloud-c/versions/new-version.ts'
import { reimportingCloudC } from '../cloud-c/versions/reimport-version.ts'
import type { AnySagaKind } from './saga.ts'

/** Every kind of work that a stop may leave unfinished: by these names the sweeper finds how to go on. */
const KINDS: readonly AnySagaKind[] = [
  uploading,
  creating,
  rotating,
  actingOnKey,
  importing,
  rotatingMaterial,
  replicating,
  linking,
  creatingKeyStore,
  linkingKeyStore,
  connectingKeyStore,
  disconnectingKeyStore,
  updatingKeyStore,
  rotatingCredential,
  deletingKeyStore,
  creatingCloudC,
  uploadingCloudC,
  actingOnCloudCKey,
  actingOnCloudCVersion,
  addingCloudCVersion,
  reimportingCloudC,
]

/** @throws Error, a fault, for a name no kind has */
export function sagaKindNamed(name: string): AnySagaKind {
  const kind = KINDS.find((one) => one.name === name)
  if (kind === undefined) throw new Error(`There is no kind of saga named ${name}`)
  return kind
}
