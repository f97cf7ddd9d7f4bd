import { updateKey } from '../../../shared/vault/keys/update-key.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { LocalKey, LocalKeyPath, LocalKeySelector, UpdateLocalKey } from '../../../shared/vault/keys/model.ts'

/** PATCH /v1/vault/keys2/{id}: only what is present changes; `null` clears an optional field. */
export const update = operation(
  {
    says: 'Update Key',
    path: LocalKeyPath,
    query: LocalKeySelector,
    body: UpdateLocalKey,
    answers: LocalKey,
    may: 'key-users',
  },
  async ({ path, query, body, context }) => {
    const { item, rev } = await updateKey(context, path.id, query, body)
    return ok(item, rev)
  },
)
