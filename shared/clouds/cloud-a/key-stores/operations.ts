import { ending } from '../../../http/danger.ts'
import type { BegunWork } from '../../../http/begun-work.ts'
import { lookUp, routesOf, routesOn } from '../../../resource/routes.ts'
import type { Route } from '../../../http/operation.ts'
import { beginning } from '../../../http/operation.ts'
import { CreateKeyInStore } from '../keys/bodies.ts'
import { CloudAKey } from '../keys/model.ts'
import { blockKeyStore, unblockKeyStore } from './block-key-store.ts'
import { connectKeyStore, disconnectKeyStore } from './connect-key-store.ts'
import { createKeyInStore } from './create-key-in-store.ts'
import { createKeyStore } from './create-key-store.ts'
import { deleteCredential, getCredential, listCredentials } from './credentials.ts'
import { deleteKeyStore } from './delete-key-store.ts'
import { getKeyStore } from './get-key-store.ts'
import { readHealth } from './health-check-key.ts'
import { linkKeyStore } from './link-key-store.ts'
import { listKeyStores } from './list-key-stores.ts'
import * as model from './model.ts'
import { rotateCredential } from './rotate-credential.ts'
import { disableCredentialRotation, enableCredentialRotation } from './rotation-job.ts'
import { readUnusedClusters } from './unused-clusters.ts'
import { updateKeyStore } from './update-key-store.ts'

const AT = '/v1/keymgr/cloud-a/custom-key-stores'
const may = 'keymgr-users'
const on = routesOn({ at: AT, answers: model.CustomKeyStore, reads: may, changes: may })
/** Answers with the credential pair, which is shown only once. */
const onWithSecret = routesOn({ at: AT, answers: model.CustomKeyStoreWithSecret, reads: may, changes: may })

/** Connecting or disconnecting a store at the cloud. */
const CONNECTION: BegunWork = {
  read: `${AT}/{id}`,
  status: 'cloud_a_param.connection_state',
  pending: ['CONNECTING', 'DISCONNECTING'],
  failed: ['FAILED'],
  reasons: ['cloud_a_param.connection_error_details'],
}

const stores: readonly Route[] = [
  on.list('List Cloud-a Custom Key Stores', model.CustomKeyStoreQuery, listKeyStores),
  onWithSecret.create('Create Cloud-a Custom Key Store', model.CreateCustomKeyStore, createKeyStore),
  lookUp(
    `${AT}/get-unused-cloud-hsm-clusters`,
    'Get Unused Cloud-a Clusters',
    may,
    model.ReadUnusedClusters,
    model.UnusedClusters,
    async (context, body) => ({ clusters: await readUnusedClusters(context, body) }),
  ),
  on.get('Get Cloud-a Custom Key Store', getKeyStore), // includes its present state in the cloud
  // Also updates a linked store in the cloud.
  on.update('Update Cloud-a Custom Key Store', model.UpdateCustomKeyStore, updateKeyStore),
  on.remove('Delete Cloud-a Custom Key Store', deleteKeyStore), // also deletes a linked store in the cloud
  // The cloud creates a store that refers to this one.
  on.act('link', 'Link Cloud-a Custom Key Store', linkKeyStore, model.LinkCustomKeyStore.prefault({})),
  // Both take minutes; later reads of the store show the outcome.
  beginning(
    CONNECTION,
    on.begin('connect', 'Connect Cloud-a Custom Key Store', connectKeyStore, model.ConnectCustomKeyStore.prefault({})),
  ),
  beginning(CONNECTION, on.begin('disconnect', 'Disconnect Cloud-a Custom Key Store', disconnectKeyStore)),
  on.act('block', 'Block Cloud-a Custom Key Store', blockKeyStore),
  on.act('unblock', 'Unblock Cloud-a Custom Key Store', unblockKeyStore),
  // The answer to a signed health call.
  on.tell('GET', 'health', 'Check Cloud-a Custom Key Store', model.KeyStoreHealth, readHealth),
  // For stores over a hardware cluster: creates the key in its modules.
  on.succeed(
    'create-cloud-a-key',
    'Create Cloud-a Key in Custom Key Store',
    CreateKeyInStore,
    createKeyInStore,
    CloudAKey,
  ),
]

const onCredentials = routesOf({
  at: `${AT}/{id}/credentials`,
  one: `${AT}/{id}/credentials/{credential_id}`,
  path: model.KeyStoreCredentialPath,
  idsOf: ({ id, credential_id }): readonly [string, string] => [id, credential_id],
  answers: model.KeyStoreCredential,
  reads: may,
  changes: may,
})

/** Credentials are shown without their secrets. */
const credentials: readonly Route[] = [
  onWithSecret.act('rotate-credential', 'Rotate Cloud-a Custom Key Store Credential', rotateCredential),
  on.act(
    'enable-credential-rotation-job',
    'Enable Cloud-a Custom Key Store Credential Rotation Job',
    enableCredentialRotation,
    model.EnableCredentialRotation,
  ),
  on.act(
    'disable-credential-rotation-job',
    'Disable Cloud-a Custom Key Store Credential Rotation Job',
    disableCredentialRotation,
  ),
  on.listWithin(
    'credentials',
    'List Cloud-a Custom Key Store Credentials',
    model.KeyStoreCredentialQuery,
    model.KeyStoreCredential,
    listCredentials,
  ),
  onCredentials.get('Get Cloud-a Custom Key Store Credential', getCredential),
  ending(
    'Calls with this credential are refused from now on.',
    onCredentials.remove('Delete Cloud-a Custom Key Store Credential', deleteCredential),
  ), // the store then refuses it
]

export const keyStoreRoutes: readonly Route[] = [...stores, ...credentials]
