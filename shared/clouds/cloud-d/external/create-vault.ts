import { notThere, Refusal } from '../../../base/errors.ts'
import { commonFields, uuid } from '../../../base/ids.ts'
import { addContainer } from '../../../cloud/containers/change-container.ts'
import { connectedBy } from '../../../cloud/containers/connection.ts'
import type { Context } from '../../../http/context.ts'
import type { Stored } from '../../../store/entity.ts'
import { leadToEndpoint } from '../../../store/owner.ts'
import { cloudDIssuers, type StoredCloudDIssuer } from '../issuers/store.ts'
import { NAME } from '../name.ts'
import { connectionNamed } from '../place.ts'
import { tenancyFor, tenancyNamed } from '../tenancies/tenancies.ts'
import { vaultKind } from '../vaults/kind.ts'
import type { CloudDVault } from '../vaults/model.ts'
import type { StoredCloudDVault } from '../vaults/store.ts'
import type { CreateExternalVault } from './bodies.ts'
import { uriOfVault, VAULT_OWNER } from './identifiers.ts'
import { newPolicy } from './policy.ts'

/** The issuer that a vault trusts from now on: it cannot be deleted at the same time. @throws Refusal NOT_FOUND */
export async function issuerToTrust({ caller, changes }: Context, reference: string): Promise<StoredCloudDIssuer> {
  const domain = caller.domain.id
  const stored = (await cloudDIssuers.get(domain, reference)) ?? (await cloudDIssuers.find(domain, 'name', reference))
  if (stored === undefined)
    throw notThere('There is no such cloud-d issuer.', {
      pointer: '#/issuer_id',
      detail: 'is no issuer of this domain',
    })
  changes.update(cloudDIssuers, domain, stored, stored.item)
  return stored.item
}

/** The tenancy of a new vault, and its connection if it has one. @throws Refusal NOT_FOUND, CLOUD_… */
async function placeOf(context: Context, { connection: named, tenancy: reference = '' }: CreateExternalVault) {
  if (named === undefined)
    return { tenancy: (await tenancyNamed(context, reference)).tenancy, cloud_name: NAME } as const
  const connection = await connectionNamed(context, named)
  const { tenancy } = await tenancyFor(context, connection)
  return { tenancy, ...connectedBy(connection.item) }
}

/** Ours: fields that describe a vault at the cloud are empty, since the cloud's own vault refers to this one. */
const NOWHERE = {
  compartment_id: '',
  compartment_name: '',
  region: '',
  management_endpoint: '',
  crypto_endpoint: '',
  defined_tags: {},
  freeform_tags: {},
  is_primary: true,
}

/**
 * Creates a vault of keys that stay here. The cloud calls its `endpoint_url`.
 * @throws Refusal NOT_FOUND, RULE_BROKEN, CLOUD_…
 */
export async function createExternalVault(context: Context, body: CreateExternalVault): Promise<Stored<CloudDVault>> {
  const { caller, changes, now } = context
  const domain = caller.domain.id
  const { vault_name, policy, connection: _connection, tenancy: _tenancy, ...params } = body
  const id = uuid(now)
  const vault: StoredCloudDVault = {
    ...commonFields(domain, id, uriOfVault(domain, id), now),
    ...NOWHERE,
    ...(await placeOf(context, body)),
    ...(await newPolicy(policy)),
    ...{ acls: [], name: vault_name, display_name: vault_name, vault_id: id },
    ...{ lifecycle_state: 'ACTIVE', vault_type: 'EXTERNAL', time_created: now.toISOString() },
    external_vault_params: {
      ...params,
      issuer_id: (await issuerToTrust(context, body.issuer_id)).id,
      linked_state: false,
    },
  }
  leadToEndpoint(changes, VAULT_OWNER, domain, id)
  return addContainer(vaultKind, context, vault, () => new Refusal('NAME_TAKEN', 'The vault is there already.'))
}
