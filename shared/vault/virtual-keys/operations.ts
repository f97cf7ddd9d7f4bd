import { Deleted, listOf } from '../../http/common-fields.ts'
import { deleted, ok, operation, okStored, createdStored } from '../../http/operation.ts'
import {
  CreateVirtualKey,
  UpdateVirtualKey,
  VirtualKey,
  VirtualKeyPath,
  VirtualKeyQuery,
  VirtualKeyVersion,
  VirtualKeyVersionQuery,
} from './model.ts'
import {
  createVirtualKey,
  deleteVirtualKey,
  getVirtualKey,
  listVirtualKeyVersions,
  listVirtualKeys,
  updateVirtualKey,
} from './virtual-keys.ts'

/** GET /v1/keymgr/virtual/keys: virtual keys that the caller may see. */
export const list = operation(
  { summary: 'List Virtual Keys', query: VirtualKeyQuery, answers: listOf(VirtualKey), may: 'keymgr-users' },
  async ({ query, context }) => ok(await listVirtualKeys(context, query)),
)

/** POST /v1/keymgr/virtual/keys: a stable name over a local key, which protects that key from deletion. */
export const create = operation(
  { summary: 'Create Virtual Key', body: CreateVirtualKey, answers: VirtualKey, status: 201, may: 'keymgr-admins' },
  async ({ body, context }) => createdStored(await createVirtualKey(context, body)),
)

/** GET /v1/keymgr/virtual/keys/{id} */
export const get = operation(
  { summary: 'Get Virtual Key', path: VirtualKeyPath, answers: VirtualKey, may: 'keymgr-users' },
  async ({ path, context }) => okStored(await getVirtualKey(context, path.id)),
)

/** PATCH /v1/keymgr/virtual/keys/{id}: changes whether it may be deleted. */
export const update = operation(
  {
    summary: 'Update Virtual Key',
    path: VirtualKeyPath,
    body: UpdateVirtualKey,
    answers: VirtualKey,
    may: 'keymgr-admins',
  },
  async ({ path, body, context }) => okStored(await updateVirtualKey(context, path.id, body)),
)

/** DELETE /v1/keymgr/virtual/keys/{id}: the source key stays, and becomes deletable. */
export const remove = operation(
  { summary: 'Delete Virtual Key', path: VirtualKeyPath, answers: Deleted, may: 'keymgr-admins' },
  async ({ path, context }) => {
    await deleteVirtualKey(context, path.id)
    return deleted()
  },
)

/** GET /v1/keymgr/virtual/keys/{id}/versions: each with the corresponding version of the source key. */
export const versions = operation(
  {
    summary: 'List Virtual Key Versions',
    path: VirtualKeyPath,
    query: VirtualKeyVersionQuery,
    answers: listOf(VirtualKeyVersion),
    may: 'keymgr-users',
  },
  async ({ path, query, context }) => ok(await listVirtualKeyVersions(context, path.id, query)),
)
