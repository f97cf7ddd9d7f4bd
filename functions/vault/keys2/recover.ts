import { recoverKey } from '../../../shared/vault/keys/change-state.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { LocalKey, LocalKeyPath, LocalKeySelector } from '../../../shared/vault/keys/model.ts'

/** POST /v1/vault/keys2/{id}/recover: ends archiving. */
export const recover = operation(
  {
    says: 'Recover Key',
    path: LocalKeyPath,
    query: LocalKeySelector,
    answers: LocalKey,
    may: 'key-users',
  },
  async ({ path, query, context }) => {
    const { item, rev } = await recoverKey(context, path.id, query)
    return ok(item, rev)
  },
)
