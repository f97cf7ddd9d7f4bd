import { getKey } from '../../../shared/domain/local-keys/get-key.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { LocalKey, LocalKeyPath, LocalKeySelector } from '../../../shared/model/local-key.ts'

/** GET /v1/vault/keys2/{id}: one version, the latest when a name or alias is given. */
export const get = operation(
  { says: 'Get Key', path: LocalKeyPath, query: LocalKeySelector, answers: LocalKey, may: 'key-users' },
  async ({ path, query, context }) => {
    const { item, rev } = await getKey(context, path.id, query)
    return ok(item, rev)
  },
)
