import { listOf } from '../../../http/common-fields.ts'
import type { Context } from '../../../http/context.ts'
import { type Operation, ok, operation, okStored, createdStored } from '../../../http/operation.ts'
import type { Stored } from '../../../store/entity.ts'
import { refreshKey, updateKey } from './act-on-key.ts'
import { disableAutoRotation as disable, enableAutoRotation as enable } from './auto-rotation.ts'
import { createKey } from './create-key.ts'
import { getKey } from './get-key.ts'
import { getPolicy, setPolicy as set } from './key-policy.ts'
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
import type * as z from 'zod'

/** Does one thing to a key, at /v1/keymgr/cloud-c/keys/{id}..., and answers it as it is then. */
export const keyAction = <B extends z.ZodType = z.ZodUndefined>(
  summary: string,
  act: (context: Context, id: string, body: z.output<B>) => Promise<Stored<CloudCKey>>,
  body?: B,
): Operation =>
  operation(
    { summary, path: CloudCKeyPath, ...(body && { body }), answers: CloudCKey, may: 'keymgr-users' },
    async ({ path, body: args, context }) => okStored(await act(context, path.id, args)),
  )

/** GET /v1/keymgr/cloud-c/keys: those of rings in which the caller may view. */
export const list = operation(
  { summary: 'List Cloud-c Keys', query: CloudCKeyQuery, answers: listOf(CloudCKey), may: 'keymgr-users' },
  async ({ query, context }) => ok(await listKeys(context, query)),
)

/** POST /v1/keymgr/cloud-c/keys: a key with a first version that the cloud makes; without one when it is `import_only`. */
export const create = operation(
  { summary: 'Create Cloud-c Key', body: CreateCloudCKey, answers: CloudCKey, status: 201, may: 'keymgr-users' },
  async ({ body, context }) => createdStored(await createKey(context, body)),
)

/** POST /v1/keymgr/cloud-c/upload-key: a key whose first version has the material of a local one. */
export const upload = operation(
  { summary: 'Upload Cloud-c Key', body: UploadCloudCKey, answers: CloudCKey, status: 201, may: 'keymgr-users' },
  async ({ body, context }) => createdStored(await uploadKey(context, body)),
)

/** GET /v1/keymgr/cloud-c/keys/{id} */
export const get = operation(
  { summary: 'Get Cloud-c Key', path: CloudCKeyPath, answers: CloudCKey, may: 'keymgr-users' },
  async ({ path, context }) => okStored(await getKey(context, path.id)),
)

/** PATCH /v1/keymgr/cloud-c/keys/{id}: labels, the cloud's own rotation, the primary, what versions will be like. */
export const update = keyAction('Update Cloud-c Key', updateKey, UpdateCloudCKey)

/** GET /v1/keymgr/cloud-c/keys/{id}/policy: as the cloud has it now. */
export const policy = operation(
  { summary: 'Get Cloud-c Key Policy', path: CloudCKeyPath, answers: CloudCKeyPolicy, may: 'keymgr-users' },
  async ({ path, context }) => ok(await getPolicy(context, path.id)),
)

/** POST /v1/keymgr/cloud-c/keys/{id}/policy: other bindings take the place of those there are. */
export const setPolicy = operation(
  {
    summary: 'Set Cloud-c Key Policy',
    path: CloudCKeyPath,
    body: SetCloudCKeyPolicy,
    answers: CloudCKeyPolicy,
    may: 'keymgr-users',
  },
  async ({ path, body, context }) => ok(await set(context, path.id, body)),
)

/** POST /v1/keymgr/cloud-c/keys/{id}/refresh: the key and its versions are read again. */
export const refresh = keyAction('Refresh Cloud-c Key', refreshKey)

/** POST /v1/keymgr/cloud-c/keys/{id}/enable-auto-rotation: a job configuration rotates the key from now on. */
export const enableAutoRotation = keyAction('Enable Cloud-c Key Rotation Job', enable, EnableCloudCAutoRotation)

/** POST /v1/keymgr/cloud-c/keys/{id}/disable-auto-rotation */
export const disableAutoRotation = keyAction('Disable Cloud-c Key Rotation Job', disable)
