import { reactivateKey } from '../../../shared/vault/keys/change-state.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { LocalKey, LocalKeyPath, LocalKeySelector, ReactivateLocalKey } from '../../../shared/vault/keys/model.ts'

/** POST /v1/vault/keys2/{id}/reactivate: back to Active, wholly or to process only. */
export const reactivate = operation(
  {
    says: 'Reactivate Key',
    path: LocalKeyPath,
    query: LocalKeySelector,
    body: ReactivateLocalKey,
    answers: LocalKey,
    may: 'key-users',
  },
  async ({ path, query, body, context }) => {
    const { item, rev } = await reactivateKey(context, path.id, query, body)
    return ok(item, rev)
  },
)
