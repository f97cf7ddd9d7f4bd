import { newVersion } from '../../../shared/vault/keys/new-version.ts'
import { created, operation } from '../../../shared/http/operation.ts'
import { CreateKeyVersion, LocalKey, LocalKeyPath } from '../../../shared/vault/keys/model.ts'

/** POST /v1/vault/keys2/{id}/versions: a new version succeeds the latest one. */
export const createVersion = operation(
  {
    says: 'Rotate Key',
    path: LocalKeyPath,
    body: CreateKeyVersion,
    answers: LocalKey,
    status: 201,
    may: 'key-users',
  },
  async ({ path, body, context }) => created(await newVersion(context, path.id, body), 1),
)
