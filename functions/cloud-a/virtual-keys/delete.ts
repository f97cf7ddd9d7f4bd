import { deleteVirtualKey } from '../../../shared/vault/virtual-keys/virtual-keys.ts'
import { deleted, operation } from '../../../shared/http/operation.ts'
import { Deleted } from '../../../shared/http/common-fields.ts'
import { VirtualKeyPath } from '../../../shared/vault/virtual-keys/model.ts'

/** DELETE /v1/keymgr/virtual/keys/{id}: the source key stays, and can be deleted from then on. */
export const remove = operation(
  { says: 'Delete Virtual Key', path: VirtualKeyPath, answers: Deleted, may: 'keymgr-admins' },
  async ({ path, context }) => {
    await deleteVirtualKey(context, path.id)
    return deleted()
  },
)
