import { listVirtualKeyVersions } from '../../../shared/vault/virtual-keys/virtual-keys.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { listOf } from '../../../shared/http/common-fields.ts'
import { VirtualKeyPath, VirtualKeyVersion, VirtualKeyVersionQuery } from '../../../shared/vault/virtual-keys/model.ts'

/** GET /v1/keymgr/virtual/keys/{id}/versions: each with the source key's version behind it. */
export const versions = operation(
  {
    says: 'List Virtual Key Versions',
    path: VirtualKeyPath,
    query: VirtualKeyVersionQuery,
    answers: listOf(VirtualKeyVersion),
    may: 'keymgr-users',
  },
  async ({ path, query, context }) => ok(await listVirtualKeyVersions(context, path.id, query)),
)
