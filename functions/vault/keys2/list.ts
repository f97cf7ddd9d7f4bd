import { listKeys } from '../../../shared/vault/keys/list-keys.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { listOf } from '../../../shared/http/common-fields.ts'
import { LocalKey, LocalKeyQuery } from '../../../shared/vault/keys/model.ts'

/** GET /v1/vault/keys2: the latest versions, unless the query widens it. */
export const list = operation(
  { says: 'List Keys', query: LocalKeyQuery, answers: listOf(LocalKey), may: 'key-users' },
  async ({ query, context }) => ok(await listKeys(context, query)),
)
