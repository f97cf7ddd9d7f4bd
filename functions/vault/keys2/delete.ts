import { deleteKey } from '../../../shared/vault/keys/delete-key.ts'
import { deleted, operation } from '../../../shared/http/operation.ts'
import { Deleted } from '../../../shared/http/common-fields.ts'
import { LocalKeyPath, LocalKeySelector } from '../../../shared/vault/keys/model.ts'

/** DELETE /v1/vault/keys2/{id}: all versions, or the one that `version` names; the material is wiped. */
export const remove = operation(
  { says: 'Delete Key', path: LocalKeyPath, query: LocalKeySelector, answers: Deleted, may: 'key-users' },
  async ({ path, query, context }) => {
    await deleteKey(context, path.id, query)
    return deleted()
  },
)
