import { getKey } from '../../../cloud/keys/find-key.ts'
import { operationsOn } from '../../../cloud/operations-on.ts'
import { act, updateKey } from './act-on-key.ts'
import { disableAutoRotation as disable, enableAutoRotation as enable } from './auto-rotation.ts'
import { createKey } from './create-key.ts'
import { getPolicy, setPolicy as set } from './key-policy.ts'
import { keyKind } from './kinds.ts'
import { listKeys } from './list-keys.ts'
import {
  CloudCKey,
  CloudCKeyPath,
  CloudCKeyPolicy,
  CloudCKeyQuery,
  CreateCloudCKey,
  EnableCloudCAutoRotation,
  SetCloudCKeyPolicy,
  UpdateCloudCKey,
  UploadCloudCKey,
} from './model.ts'
import { uploadKey } from './upload-key.ts'

const on = operationsOn({ path: CloudCKeyPath, answers: CloudCKey, reads: 'keymgr-users', changes: 'keymgr-users' })

/** GET /v1/keymgr/cloud-c/keys: those of rings in which the caller may view. */
export const list = on.list('List Cloud-c Keys', CloudCKeyQuery, listKeys)

/** POST /v1/keymgr/cloud-c/keys: a key with a first version that the cloud makes; without one when it is `import_only`. */
export const create = on.create('Create Cloud-c Key', CreateCloudCKey, createKey)

/** POST /v1/keymgr/cloud-c/upload-key: a key whose first version has the material of a local one. */
export const upload = on.create('Upload Cloud-c Key', UploadCloudCKey, uploadKey)

/** GET /v1/keymgr/cloud-c/keys/{id} */
export const get = on.get('Get Cloud-c Key', (context, id) => getKey(keyKind, context, id))

/** PATCH /v1/keymgr/cloud-c/keys/{id}: labels, the cloud's own rotation, the primary, what versions will be like. */
export const update = on.act('Update Cloud-c Key', updateKey, UpdateCloudCKey)

/** GET /v1/keymgr/cloud-c/keys/{id}/policy: as the cloud has it now. */
export const policy = on.tell('Get Cloud-c Key Policy', CloudCKeyPolicy, getPolicy)

/** POST /v1/keymgr/cloud-c/keys/{id}/policy: other bindings take the place of those there are. */
export const setPolicy = on.tell('Set Cloud-c Key Policy', CloudCKeyPolicy, set, SetCloudCKeyPolicy)

/** POST /v1/keymgr/cloud-c/keys/{id}/refresh: the key and its versions are read again. */
export const refresh = on.act('Refresh Cloud-c Key', (context, id) => act(context, 'refresh', id, {}))

/** POST /v1/keymgr/cloud-c/keys/{id}/enable-auto-rotation: a job configuration rotates the key from now on. */
export const enableAutoRotation = on.act('Enable Cloud-c Key Rotation Job', enable, EnableCloudCAutoRotation)

/** POST /v1/keymgr/cloud-c/keys/{id}/disable-auto-rotation */
export const disableAutoRotation = on.act('Disable Cloud-c Key Rotation Job', disable)
