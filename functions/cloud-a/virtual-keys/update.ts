import { updateVirtualKey } from '../../../shared/vault/virtual-keys/virtual-keys.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { UpdateVirtualKey, VirtualKey, VirtualKeyPath } from '../../../shared/vault/virtual-keys/model.ts'

/** PATCH /v1/keymgr/virtual/keys/{id}: whether it may be deleted. */
export const update = operation(
  {
    says: 'Update Virtual Key',
    path: VirtualKeyPath,
    body: UpdateVirtualKey,
    answers: VirtualKey,
    may: 'keymgr-admins',
  },
  async ({ path, body, context }) => {
    const { item, rev } = await updateVirtualKey(context, path.id, body)
    return ok(item, rev)
  },
)
