import { connectingKeyStore, disconnectingKeyStore } from '../../clouds/cloud-a/key-stores/connect-key-store.ts'
import { creatingKeyStore } from '../../clouds/cloud-a/key-stores/create-key-store.ts'
import { deletingKeyStore } from '../../clouds/cloud-a/key-stores/delete-key-store.ts'
import { linkingKeyStore } from '../../clouds/cloud-a/key-stores/link-key-store.ts'
import { rotatingCredential } from '../../clouds/cloud-a/key-stores/rotate-credential.ts'
import { updatingKeyStore } from '../../clouds/cloud-a/key-stores/update-key-store.ts'
import { linking } from '../../clouds/cloud-a/hosted-keys/linking.ts'
import { actingOnKey } from '../../clouds/cloud-a/keys/actions.ts'
import { creating } from '../../clouds/cloud-a/keys/create-key.ts'
import { importing } from '../../clouds/cloud-a/keys/import-material.ts'
import { replicating } from '../../clouds/cloud-a/keys/replicate-key.ts'
import { rotating } from '../../clouds/cloud-a/keys/rotate-key.ts'
import { rotatingMaterial } from '../../clouds/cloud-a/keys/rotate-material.ts'
import { uploading } from '../../clouds/cloud-a/keys/upload-key.ts'
import { actingOnCloudCKey } from '../../clouds/cloud-c/keys/act-on-key.ts'
import { creatingCloudC } from '../../clouds/cloud-c/keys/create-key.ts'
import { uploadingCloudC } from '../../clouds/cloud-c/keys/upload-key.ts'
import { actingOnCloudCVersion } from '../../clouds/cloud-c/versions/act-on-version.ts'
import { addingCloudCVersion } from '../../clouds/cloud-c/versions/new-version.ts'
import { reimportingCloudC } from '../../clouds/cloud-c/versions/reimport-version.ts'
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
