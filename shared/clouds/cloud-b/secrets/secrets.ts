import { getKey } from '../../../cloud/keys/find-key.ts'
import type { Context } from '../../../http/context.ts'
import type { ResourceList } from '../../../resource/listed.ts'
import type { Stored } from '../../../store/entity.ts'
import { carryOut } from '../../../work/sagas/saga.ts'
import type { CloudBRead, CloudBSecrets, CloudBSecretSpec } from '../adapter/types.ts'
import { itemActions } from '../items/item-actions.ts'
import type { ItemTypes, Seen } from '../items/item.ts'
import { itemKind } from '../items/kind.ts'
import { listItems } from '../items/list-items.ts'
import { carrier, creatingFrom, planned, vaultBeyondKeys, workOn } from '../items/creation.ts'
import type { CloudBSecretParam } from '../param.ts'
import { secretsAdapter } from '../adapter.ts'
import type {
  CloudBSecret,
  CloudBSecretQuery,
  CreateCloudBSecret,
  StoredCloudBSecret,
  UpdateCloudBSecret,
} from './model.ts'
import { cloudBSecrets, type CloudBSecretRow } from './store.ts'

/** The types of cloud-b's secrets. A saga's input does not contain the value. */
interface SecretTypes extends ItemTypes {
  readonly key: StoredCloudBSecret
  readonly row: CloudBSecretRow
  readonly shown: CloudBSecret
  readonly spec: Omit<CloudBSecretSpec, 'value'>
  readonly read: CloudBRead<CloudBSecretParam>
  readonly whole: Seen<CloudBSecretParam>
  readonly own: Omit<CloudBSecrets, 'create' | 'read' | 'refs' | 'survey'>
}

export const secretKind = itemKind<SecretTypes>({
  noun: 'secret',
  entity: cloudBSecrets,
  cloud: secretsAdapter,
  nameOf: ({ secret_name }) => secret_name,
  idOf: ({ id }) => id,
  hidden: ['key_material_origin'],
  own: (secret_name) => ({ secret_name }),
})
export const SECRET_ACTIONS = itemActions(secretKind)

const secretValue = carrier<string>('value of a secret')
/** Creates a secret, or a version of one. */
export const creatingCloudBSecret = creatingFrom<SecretTypes, string>(
  'create-cloud-b-secret',
  secretKind,
  secretValue,
  async (place, spec, value, journal) => secretsAdapter.create(place, { ...spec, value }, journal),
)

/** @throws Refusal NOT_FOUND, ACTION_DENIED, RULE_BROKEN, STATE_CONFLICT, and refusals of the cloud */
export async function createSecret(context: Context, body: CreateCloudBSecret): Promise<Stored<CloudBSecret>> {
  const { value, ...settings } = body.cloud_b_param
  await secretValue.carry(context, () => Promise.resolve(value))
  return carryOut(context, creatingCloudBSecret, async () => {
    const vault = await vaultBeyondKeys(context, body.key_vault, 'secretcreate')
    const input = planned<SecretTypes>(context, vault, { name: body.secret_name, ...settings })
    return workOn(secretKind, input)
  })
}

/** @throws Refusal NOT_FOUND, ACTION_DENIED, VERSION_STALE, STATE_CONFLICT, and refusals of the cloud */
export const updateSecret = (context: Context, id: string, body: UpdateCloudBSecret): Promise<Stored<CloudBSecret>> =>
  SECRET_ACTIONS.act(context, 'edit', id, body)

/** @throws Refusal NOT_FOUND */
export const getSecret = (context: Context, id: string): Promise<Stored<CloudBSecret>> =>
  getKey<SecretTypes>(secretKind, context, id)

/** Versions that the caller may see. */
export const listSecrets = (context: Context, query: CloudBSecretQuery): Promise<ResourceList<CloudBSecret>> =>
  listItems(secretKind, context, query, { secret_name: query.secret_name }, { own: [], tests: [] })
