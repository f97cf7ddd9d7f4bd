import { ending } from '../../http/danger.ts'
import { Deleted } from '../../http/common-fields.ts'
import { deleted, ok, operation, route, type Route } from '../../http/operation.ts'
import { routesOf } from '../../resource/routes.ts'
import { naming, namingListed, namingStored } from '../keys/policies/permission-groups.ts'
import {
  CreateSecret,
  CreateSecretVersion,
  DeleteSecretQuery,
  Secret,
  SecretPath,
  SecretQuery,
  SecretVersionQuery,
  SecretWithMaterial,
  UpdateSecret,
} from './model.ts'
import {
  createSecret,
  deleteSecret,
  destroySecret,
  exportSecret,
  getSecret,
  listSecrets,
  listSecretVersions,
  newSecretVersion,
  updateSecret,
} from './secrets.ts'

const AT = '/v1/vault/secrets'
const on = routesOf({
  at: AT,
  one: `${AT}/{id}`,
  path: SecretPath,
  idsOf: ({ id }): readonly [string] => [id],
  answers: Secret,
  reads: 'key-users',
  changes: 'key-users',
})

/** The secret with its material. The answer is not stored. */
const exportOne = operation(
  { summary: 'Export Secret', path: SecretPath, answers: SecretWithMaterial, may: 'key-users', once: true },
  async ({ path, context }) => ok(await naming(exportSecret)(context, path.id)),
)

const remove = operation(
  {
    summary: 'Delete Secret',
    danger: { level: 3, lost: 'The bytes of the secret are wiped.' },
    path: SecretPath,
    query: DeleteSecretQuery,
    answers: Deleted,
    may: 'key-users',
  },
  async ({ path, query, context }) => {
    await deleteSecret(context, path.id, query)
    return deleted()
  },
)

/** Secrets: bytes that are stored and returned, but never used here. Owner and permissions work like those of keys. */
export const routes: readonly Route[] = [
  on.list('List Secrets', SecretQuery, namingListed(listSecrets)),
  on.create('Create Secret', CreateSecret, namingStored(createSecret)),
  on.get('Get Secret', namingStored(getSecret)),
  on.update('Update Secret', UpdateSecret, namingStored(updateSecret)),
  route('DELETE', `${AT}/{id}`, remove),
  route('POST', `${AT}/{id}/export`, exportOne),
  ending('The bytes of the secret are wiped.', on.act('destroy', 'Destroy Secret', namingStored(destroySecret))),
  on.listWithin('versions', 'List Secret Versions', SecretVersionQuery, Secret, namingListed(listSecretVersions)),
  on.succeed('versions', 'Create Secret Version', CreateSecretVersion, namingStored(newSecretVersion)),
]
