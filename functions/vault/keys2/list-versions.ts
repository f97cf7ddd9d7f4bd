import { listVersions } from '../../../shared/domain/local-keys/list-keys.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { listOf } from '../../../shared/model/common.ts'
import { KeyVersionQuery, LocalKey, LocalKeyPath } from '../../../shared/model/local-key.ts'

/** GET /v1/vault/keys2/{id}/versions: one record per version, oldest first. */
export const versions = operation(
  {
    says: 'List Key Versions',
    path: LocalKeyPath,
    query: KeyVersionQuery,
    answers: listOf(LocalKey),
    may: 'key-users',
  },
  async ({ path, query, context }) => ok(await listVersions(context, path.id, query)),
)
