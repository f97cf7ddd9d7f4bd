import { ALGORITHM_RULES } from '../../../shared/vault/keys/algorithm-rules.ts'
import { createKey } from '../../../shared/vault/keys/create-key.ts'
import { created, operation } from '../../../shared/http/operation.ts'
import { CreateLocalKey, CreateLocalKeyQuery, LocalKeyWithMaterial } from '../../../shared/vault/keys/model.ts'
import { withRules } from '../../../shared/http/rules.ts'

/** POST /v1/vault/keys2: makes a key, or imports one that the body brings. */
export const create = operation(
  {
    says: 'Create Key',
    query: CreateLocalKeyQuery,
    body: withRules(CreateLocalKey, ...ALGORITHM_RULES),
    answers: LocalKeyWithMaterial,
    status: 201,
    may: 'key-users',
  },
  async ({ query, body, context }) => created(await createKey(context, body, query.includeMaterial === true), 1),
)
