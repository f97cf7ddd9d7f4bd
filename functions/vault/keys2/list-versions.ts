import { listVersions } from '../../../shared/vault/keys/list-keys.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { listOf } from '../../../shared/http/common-fields.ts'
import { KeyVersionQuery, LocalKey, LocalKeyPath } from '../../../shared/vault/keys/model.ts'

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
