import { archiveKey } from '../../../shared/vault/keys/change-state.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { LocalKey, LocalKeyPath, LocalKeySelector } from '../../../shared/vault/keys/model.ts'

/** POST /v1/vault/keys2/{id}/archive: the key cannot be used until it is recovered. */
export const archive = operation(
  {
    says: 'Archive Key',
    path: LocalKeyPath,
    query: LocalKeySelector,
    answers: LocalKey,
    may: 'key-users',
  },
  async ({ path, query, context }) => {
    const { item, rev } = await archiveKey(context, path.id, query)
    return ok(item, rev)
  },
)
