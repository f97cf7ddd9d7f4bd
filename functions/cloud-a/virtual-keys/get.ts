import { getVirtualKey } from '../../../shared/vault/virtual-keys/virtual-keys.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { VirtualKey, VirtualKeyPath } from '../../../shared/vault/virtual-keys/model.ts'

/** GET /v1/keymgr/virtual/keys/{id} */
export const get = operation(
  { says: 'Get Virtual Key', path: VirtualKeyPath, answers: VirtualKey, may: 'keymgr-users' },
  async ({ path, context }) => {
    const { item, rev } = await getVirtualKey(context, path.id)
    return ok(item, rev)
  },
)
