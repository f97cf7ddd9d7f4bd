import { getKey } from '../../../shared/vault/keys/get-key.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { LocalKey, LocalKeyPath, LocalKeySelector } from '../../../shared/vault/keys/model.ts'

/** GET /v1/vault/keys2/{id}: one version, the latest when a name or alias is given. */
export const get = operation(
  { says: 'Get Key', path: LocalKeyPath, query: LocalKeySelector, answers: LocalKey, may: 'key-users' },
  async ({ path, query, context }) => {
    const { item, rev } = await getKey(context, path.id, query)
    return ok(item, rev)
  },
)
