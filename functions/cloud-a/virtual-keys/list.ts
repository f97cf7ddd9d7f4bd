import { listVirtualKeys } from '../../../shared/vault/virtual-keys/virtual-keys.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { listOf } from '../../../shared/http/common-fields.ts'
import { VirtualKey, VirtualKeyQuery } from '../../../shared/vault/virtual-keys/model.ts'

/** GET /v1/keymgr/virtual/keys: all of the domain. */
export const list = operation(
  { says: 'List Virtual Keys', query: VirtualKeyQuery, answers: listOf(VirtualKey), may: 'keymgr-users' },
  async ({ query, context }) => ok(await listVirtualKeys(context, query)),
)
