import { revokeKey } from '../../../shared/vault/keys/change-state.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { LocalKey, LocalKeyPath, LocalKeySelector, RevokeLocalKey } from '../../../shared/vault/keys/model.ts'

/** POST /v1/vault/keys2/{id}/revoke: deactivates the key, or marks it as compromised. */
export const revoke = operation(
  {
    says: 'Revoke Key',
    path: LocalKeyPath,
    query: LocalKeySelector,
    body: RevokeLocalKey,
    answers: LocalKey,
    may: 'key-users',
  },
  async ({ path, query, body, context }) => {
    const { item, rev } = await revokeKey(context, path.id, query, body)
    return ok(item, rev)
  },
)
