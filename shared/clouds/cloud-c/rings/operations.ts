import { Deleted, listOf } from '../../../http/common-fields.ts'
import { created, deleted, ok, operation, okStored } from '../../../http/operation.ts'
import {
  AddRings,
  AddedRings,
  CloudCContainerPath,
  CloudCRing,
  RingQuery,
  UpdateCloudCAcls,
  UpdateRing,
} from '../projects/model.ts'
import { addRings } from './add-rings.ts'
import { getRing, listRings, removeRing, updateRing, updateRingAcls } from './rings.ts'

/** POST /v1/keymgr/cloud-c/add-key-rings: no key is read yet. */
export const add = operation(
  { summary: 'Add Cloud-c Key Rings', body: AddRings, answers: AddedRings, status: 201, may: 'keymgr-admins' },
  async ({ body, context }) => created({ key_rings: await addRings(context, body) }),
)

/** GET /v1/keymgr/cloud-c/key-rings: those the caller may see. */
export const list = operation(
  { summary: 'List Cloud-c Key Rings', query: RingQuery, answers: listOf(CloudCRing), may: 'keymgr-users' },
  async ({ query, context }) => ok(await listRings(context, query)),
)

/** GET /v1/keymgr/cloud-c/key-rings/{id} */
export const get = operation(
  { summary: 'Get Cloud-c Key Ring', path: CloudCContainerPath, answers: CloudCRing, may: 'keymgr-users' },
  async ({ path, context }) => okStored(await getRing(context, path.id)),
)

/** PATCH /v1/keymgr/cloud-c/key-rings/{id}: another connection must reach it. */
export const update = operation(
  {
    summary: 'Update Cloud-c Key Ring',
    path: CloudCContainerPath,
    body: UpdateRing,
    answers: CloudCRing,
    may: 'keymgr-admins',
  },
  async ({ path, body, context }) => okStored(await updateRing(context, path.id, body)),
)

/** POST /v1/keymgr/cloud-c/key-rings/{id}/update-acls */
export const setAcls = operation(
  {
    summary: 'Update Cloud-c Key Ring Permissions',
    path: CloudCContainerPath,
    body: UpdateCloudCAcls,
    answers: CloudCRing,
    may: 'keymgr-admins',
  },
  async ({ path, body, context }) => okStored(await updateRingAcls(context, path.id, body)),
)

/** POST /v1/keymgr/cloud-c/key-rings/{id}/remove-key-ring: the cloud is left alone. */
export const remove = operation(
  { summary: 'Remove Cloud-c Key Ring', path: CloudCContainerPath, answers: Deleted, may: 'keymgr-admins' },
  async ({ path, context }) => {
    await removeRing(context, path.id)
    return deleted()
  },
)
