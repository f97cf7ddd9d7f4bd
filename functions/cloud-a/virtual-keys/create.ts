import { createVirtualKey } from '../../../shared/vault/virtual-keys/virtual-keys.ts'
import { created, operation } from '../../../shared/http/operation.ts'
import { CreateVirtualKey, VirtualKey } from '../../../shared/vault/virtual-keys/model.ts'

/** POST /v1/keymgr/virtual/keys: a stable name over a local key, which keeps it from being deleted. */
export const create = operation(
  { says: 'Create Virtual Key', body: CreateVirtualKey, answers: VirtualKey, status: 201, may: 'keymgr-admins' },
  async ({ body, context }) => {
    const { item, rev } = await createVirtualKey(context, body)
    return created(item, rev)
  },
)
