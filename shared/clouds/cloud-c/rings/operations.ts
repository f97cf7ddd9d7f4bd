import { updateContainerAcls } from '../../../cloud/containers/change-container.ts'
import { getContainer, listContainers } from '../../../cloud/containers/read-containers.ts'
import { operationsOn } from '../../../cloud/operations-on.ts'
import { created, operation } from '../../../http/operation.ts'
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
import { ringKind } from './ring-kind.ts'
import { removeRing, updateRing } from './rings.ts'

const on = operationsOn({
  path: CloudCContainerPath,
  answers: CloudCRing,
  reads: 'keymgr-users',
  changes: 'keymgr-admins',
})

/** POST /v1/keymgr/cloud-c/add-key-rings: no key is read yet. */
export const add = operation(
  { summary: 'Add Cloud-c Key Rings', body: AddRings, answers: AddedRings, status: 201, may: 'keymgr-admins' },
  async ({ body, context }) => created({ key_rings: await addRings(context, body) }),
)

/** GET /v1/keymgr/cloud-c/key-rings: those the caller may see. */
export const list = on.list('List Cloud-c Key Rings', RingQuery, (context, query) =>
  listContainers(ringKind, context, query, {
    project_id: query.project_id,
    key_ring_id: query.key_ring_id,
    location: query.location,
    organization: query.organization,
    cloud_name: query.cloud_name,
  }),
)

/** GET /v1/keymgr/cloud-c/key-rings/{id} */
export const get = on.get('Get Cloud-c Key Ring', (context, id) => getContainer(ringKind, context, id))

/** PATCH /v1/keymgr/cloud-c/key-rings/{id}: another connection must reach it. */
export const update = on.act('Update Cloud-c Key Ring', updateRing, UpdateRing)

/** POST /v1/keymgr/cloud-c/key-rings/{id}/update-acls */
export const setAcls = on.act(
  'Update Cloud-c Key Ring Permissions',
  (context, id, body) => updateContainerAcls(ringKind, context, id, body),
  UpdateCloudCAcls,
)

/** POST /v1/keymgr/cloud-c/key-rings/{id}/remove-key-ring: the cloud is left alone. */
export const remove = on.remove('Remove Cloud-c Key Ring', removeRing)
