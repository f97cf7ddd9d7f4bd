import { assertNotGiven, Refusal, ruleBroken } from '../../../base/errors.ts'
import { defined } from '../../../base/fields.ts'
import { changeContainer } from '../../../cloud/containers/change-container.ts'
import { connectedBy } from '../../../cloud/containers/connection.ts'
import type { Context } from '../../../http/context.ts'
import type { Stored } from '../../../store/entity.ts'
import { cloudDKeys, keysOfVault } from '../keys/store.ts'
import { connectionNamed } from '../place.ts'
import { cloudDTenancies } from '../tenancies/store.ts'
import { tenancyOf } from '../tenancies/tenancies.ts'
import { vaultKind } from '../vaults/kind.ts'
import type { CloudDVault, UpdateVault } from '../vaults/model.ts'
import type { StoredCloudDVault } from '../vaults/store.ts'
import { issuerToTrust } from './create-vault.ts'
import { assertExternalVault, type ExternalVault } from './external.ts'
import { formerVaults } from './former-vaults.ts'
import type { StoredExternalParams } from './params.ts'
import { withNewPolicy } from './policy.ts'

type Act = (context: Context, id: string) => Promise<Stored<CloudDVault>>

const conflict = (sentence: string): Refusal => new Refusal('STATE_CONFLICT', sentence)

/** Sets members of an external vault's parameters. @param check refuses a vault in the wrong state */
const setting =
  (change: Partial<StoredExternalParams>, check: (vault: ExternalVault) => void): Act =>
  (context, id) =>
    changeContainer(vaultKind, context, id, (vault): StoredCloudDVault => {
      assertExternalVault(vault)
      check(vault)
      return { ...vault, external_vault_params: { ...vault.external_vault_params, ...change } }
    })

const blocking = (blocked: boolean): Act =>
  setting({ blocked }, ({ display_name, external_vault_params: params }) => {
    if (params.blocked === blocked)
      throw conflict(`The vault ${display_name} is ${blocked ? 'blocked already' : 'not blocked'}.`)
  })

/**
 * Blocks an external vault: within five seconds every instance refuses the cloud's calls, and its metadata shows it.
 * @throws Refusal NOT_FOUND, STATE_CONFLICT
 */
export const blockVault = blocking(true)
/** @throws Refusal NOT_FOUND, STATE_CONFLICT unless it is blocked */
export const unblockVault = blocking(false)

/**
 * Records that the cloud's vault no longer refers to this one, which cannot be seen from here. Ours: the vault must be
 * blocked, so that no caller depends on it; after unblocking, a call for its metadata links it again.
 * @throws Refusal NOT_FOUND, STATE_CONFLICT
 */
export const unlinkVault = setting({ linked_state: false }, ({ display_name, external_vault_params: params }) => {
  if (!params.linked_state) throw conflict(`The vault ${display_name} is not linked.`)
  if (!params.blocked) throw conflict(`The vault ${display_name} is in use at the cloud: block it first.`)
})

/** A vault stays in its tenancy. @throws Refusal NOT_FOUND, RULE_BROKEN, CLOUD_… */
async function reconnected(context: Context, { tenancy }: ExternalVault, name: string) {
  const connection = await connectionNamed(context, name)
  const { tenancy_id } = await tenancyOf(context, connection)
  const reached = await cloudDTenancies.find(context.caller.domain.id, 'tenancy', tenancy_id)
  if (reached?.item.tenancy !== tenancy) throw ruleBroken('connection', `must reach the tenancy ${tenancy}`)
  return connectedBy(connection.item)
}

/** @throws Refusal NOT_FOUND, RULE_BROKEN, CLOUD_… */
export async function changedExternal(
  context: Context,
  vault: ExternalVault,
  body: UpdateVault,
): Promise<StoredCloudDVault> {
  assertNotGiven(body, ['bucket_name', 'bucket_namespace'], {
    message: 'An external vault has no bucket: its keys are here.',
    detail: 'does not apply to an external vault',
  })
  const { connection, vault_name, policy, issuer_id, bucket_name: _n, bucket_namespace: _s, ...params } = body
  const issuer = issuer_id === undefined ? undefined : (await issuerToTrust(context, issuer_id)).id
  const changed = {
    ...vault,
    ...(connection !== undefined && (await reconnected(context, vault, connection))),
    ...(vault_name !== undefined && { name: vault_name, display_name: vault_name }),
    external_vault_params: { ...vault.external_vault_params, ...defined({ ...params, issuer_id: issuer }) },
  }
  return withNewPolicy(changed, policy)
}

/**
 * Stages the consequences of an external vault's removal: its address answers that the vault does not exist.
 * @throws Refusal IN_USE while it has keys, STATE_CONFLICT while it is linked
 */
export async function releaseExternal({ caller, changes }: Context, vault: ExternalVault): Promise<void> {
  const { id, display_name: name, external_vault_params: params } = vault
  const domain = caller.domain.id
  const [key] = await cloudDKeys.membersAfter(domain, keysOfVault(id), undefined, 1)
  if (key !== undefined) throw new Refusal('IN_USE', `The vault ${name} holds keys: delete every key first.`)
  if (params.linked_state)
    throw conflict(`The vault ${name} is linked to the cloud: delete its vault there, and unlink it.`)
  const { issuer_id, client_application_id, endpoint_url_hostname, endpoint_url_port } = params
  changes.create(formerVaults, domain, {
    ...{ id, issuer_id, client_application_id },
    ...{ endpoint_url_hostname, endpoint_url_port },
  })
}
