import type * as z from 'zod'
import { notThere, Refusal, ruleBroken } from '../../../base/errors.ts'
import { counted } from '../../../base/counted.ts'
import { budgetOf } from '../../../cloud/budget.ts'
import { proveConnection } from '../../../cloud/connections/test-connection.ts'
import { addContainer, changeContainer, removeContainer } from '../../../cloud/containers/change-container.ts'
import { connectedBy, newContainer } from '../../../cloud/containers/connection.ts'
import { findContainerFor } from '../../../cloud/containers/find-container.ts'
import { assertMayEach } from '../../../cloud/containers/going-records.ts'
import { assertIdle, assertNoWork } from '../../../cloud/containers/idle.ts'
import type { Context } from '../../../http/context.ts'
import { Changes, retryWhenStale } from '../../../store/changes.ts'
import type { Stored } from '../../../store/entity.ts'
import { crm } from '../adapter.ts'
import type { CrmOrganization as CrmOrganizationRead } from '../adapter/types.ts'
import { crmCertificateRecords, certificatesOfOrganization } from '../certificates/store.ts'
import { crmEndpoints, endpointsOfOrganization } from '../key-endpoints/store.ts'
import { crmSecrets, secretsOfOrganization } from '../keys/store.ts'
import { connectionNamed, entryOf, openOrganization, type OwnConnection } from '../place.ts'
import { organizationKind } from './kind.ts'
import type {
  AddOrganization,
  CrmOrganization,
  FindNamedCredentials,
  FindOrganization,
  FoundNamedCredentials,
  FoundOrganization,
  UpdateOrganization,
} from './model.ts'
import { organizationPurge } from './purge-organization.ts'
import type { StoredCrmOrganization } from './store.ts'

const typeOf = ({ is_sandbox }: CrmOrganizationRead) => (is_sandbox ? ('sandbox' as const) : ('production' as const))

/** The organization that a connection reaches. Read once per request. @throws Refusal CLOUD_… */
const reached = (context: Context, connection: OwnConnection): Promise<CrmOrganizationRead> =>
  context.once(`crm organization ${connection.item.id} ${connection.rev}`, async () =>
    crm.organization(await entryOf(context, connection)),
  )

/** The organization of a connection. @throws Refusal NOT_FOUND, CLOUD_… */
export async function findOrganization(
  context: Context,
  body: z.output<typeof FindOrganization>,
): Promise<z.input<typeof FoundOrganization>> {
  const connection = await connectionNamed(context, body.connection)
  const found = await reached(context, connection)
  const { name, organization_id } = found
  const { cloud_name, name: called } = connection.item
  return { name, organization_id, connection: called, cloud_name, type: typeOf(found) }
}

/** Fields of a record that derive from the cloud's description. */
const factsOf = (found: CrmOrganizationRead) => ({ ...found, organization_type: typeOf(found) })

/** @throws Refusal NOT_FOUND, NAME_TAKEN, RULE_BROKEN, CLOUD_… */
export async function addOrganization(context: Context, body: AddOrganization): Promise<Stored<CrmOrganization>> {
  const { caller, now } = context
  const connection = await connectionNamed(context, body.connection)
  await budgetOf(context) // also covers the test of the connection
  await proveConnection(context, connection)
  const found = await reached(context, connection)
  const { organization_id: wanted = found.organization_id } = body
  if (wanted.slice(0, 15) !== found.organization_id.slice(0, 15))
    throw notThere('The connection reaches another organization.', {
      pointer: '#/organization_id',
      detail: 'is no organization that the connection reaches',
    })
  const organization: StoredCrmOrganization = {
    ...newContainer(caller.domain.id, 'crm-organization', connection.item, now),
    ...factsOf(found),
  }
  return addContainer(organizationKind, context, organization, () => {
    const errors = [{ pointer: '#/connection', detail: 'reaches an organization that is there already' }]
    return new Refusal('NAME_TAKEN', `The organization ${found.name} is there already.`, { errors })
  })
}

/** @throws Refusal NOT_FOUND, VERSION_STALE, IN_USE, RULE_BROKEN for a connection to another organization, CLOUD_… */
export const updateOrganization = (
  context: Context,
  id: string,
  body: UpdateOrganization,
): Promise<Stored<CrmOrganization>> =>
  changeContainer(organizationKind, context, id, async (organization) => {
    if (body.connection === undefined) return organization
    await assertIdle(organizationKind, context, organization)
    const connection = await connectionNamed(context, body.connection)
    await budgetOf(context)
    await proveConnection(context, connection)
    const found = await reached(context, connection)
    if (found.organization_id !== organization.organization_id)
      throw ruleBroken('connection', `must reach the organization ${organization.organization_id}`)
    if (found.name !== organization.name) await renameEndpoints(context, id, found.name)
    return { ...organization, ...factsOf(found), ...connectedBy(connection.item) }
  })

/** Writes the organization's new name into the records of its endpoints, one by one. Safe to repeat. */
async function renameEndpoints({ caller, now }: Context, id: string, organization_name: string): Promise<void> {
  const domain = caller.domain.id
  for (const endpoint of await crmEndpoints.members(domain, endpointsOfOrganization(id)))
    await retryWhenStale(async () => {
      const stored = await crmEndpoints.get(domain, endpoint)
      if (stored === undefined || stored.item.organization_name === organization_name) return
      const changes = new Changes()
      changes.update(crmEndpoints, domain, stored, { ...stored.item, organization_name })
      await changes.commit(now)
    })
}

/** @throws Refusal IN_USE */
async function assertNoEndpoints({ caller }: Context, { id }: StoredCrmOrganization): Promise<void> {
  const { length } = await crmEndpoints.members(caller.domain.id, endpointsOfOrganization(id))
  if (length === 0) return
  throw new Refusal('IN_USE', `${counted(length, 'key endpoint')} of the organization must be deleted first.`)
}

/**
 * Removes the records of an organization, its secrets and certificates, and changes nothing at the cloud.
 * @throws Refusal NOT_FOUND, VERSION_STALE, ACTION_DENIED, IN_USE while it has endpoints, during a synchronization or
 *   unfinished work
 */
export const removeOrganization = (context: Context, id: string): Promise<void> =>
  removeContainer(organizationKind, context, id, async (organization) => {
    await assertNoEndpoints(context, organization)
    await assertIdle(organizationKind, context, organization)
    await assertNoWork(organizationKind, context, organization)
    await assertMayEach(context, {
      entity: crmCertificateRecords,
      family: certificatesOfOrganization(id),
      action: 'DeleteCrmCertificate',
    })
    await assertMayEach(context, {
      entity: crmSecrets,
      family: secretsOfOrganization(id),
      concerned: ({ backup }) => backup,
      action: 'DeleteCrmTenantSecretBackup',
    })
    organizationPurge.plan(context, { organization: id })
  })

/** Named credentials of an organization, read from the cloud now. @throws Refusal NOT_FOUND, ACTION_DENIED, CLOUD_… */
export async function findNamedCredentials(
  context: Context,
  body: z.output<typeof FindNamedCredentials>,
): Promise<z.input<typeof FoundNamedCredentials>> {
  const { caller, now } = context
  const field = { pointer: '#/organization_id', detail: 'is no organization that you may see' }
  const { item } = await findContainerFor(organizationKind, context, body.organization_id, 'keyupload', field)
  const how = { now, budget: await budgetOf(context), patience: 'request' } as const
  return { named_credentials: [...(await crm.namedCredentials(await openOrganization(caller.domain.id, item, how)))] }
}
