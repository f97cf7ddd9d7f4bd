import type * as z from 'zod'
import { counted } from '../../../base/counted.ts'
import { Refusal } from '../../../base/errors.ts'
import { resourceUri } from '../../../base/ids.ts'
import { budgetOf } from '../../../cloud/budget.ts'
import { proveConnection } from '../../../cloud/connections/test-connection.ts'
import type { Context } from '../../../http/context.ts'
import { newCommonFields, stageNew } from '../../../resource/records.ts'
import { resource } from '../../../resource/resource.ts'
import type { Stored } from '../../../store/entity.ts'
import type { CloudDTenancy as CloudDTenancyRead } from '../adapter/types.ts'
import { cloudD } from '../adapter.ts'
import { NAME } from '../name.ts'
import { connectionNamed, entryOf, type OwnConnection } from '../place.ts'
import { CloudDTenancy, TenancyQuery, type AddTenancy } from '../vaults/model.ts'
import { cloudDVaults, vaultsOfTenancy } from '../vaults/store.ts'
import { cloudDTenancies, tenanciesCalled } from './store.ts'

/** Tenancies. One is added with its first vault, unless it exists already. */
export const tenancies = resource({
  entity: cloudDTenancies,
  noun: 'tenancy',
  title: 'Cloud-d Tenancy',
  titles: 'Cloud-d Tenancies',
  at: '/v1/keymgr/cloud-d/tenancy',
  reads: 'keymgr-users',
  changes: 'keymgr-admins',
  answers: CloudDTenancy,
  query: TenancyQuery,
  uri: (domain, id) => resourceUri(domain, 'keymgr', 'cloud-d-tenancy', id),
  nameOf: ({ tenancy }) => tenancy,
  patterns: ['tenancy'],
  pointers: { tenancy: '#/connection' },
  audited: ['tenancy', 'tenancy_id', 'connection'],
  release: async ({ caller }, { tenancy }) => {
    const { length } = await cloudDVaults.members(caller.domain.id, vaultsOfTenancy(tenancy))
    if (length === 0) return
    const hint = `the list of vaults finds them by tenancy=${tenancy}`
    throw new Refusal('IN_USE', `${counted(length, 'vault')} of the tenancy must be removed first: ${hint}.`)
  },
})

/** The tenancy of a connection, which must be ready: the use of the connection starts here. Read once per request. */
export async function tenancyOf(context: Context, connection: OwnConnection): Promise<CloudDTenancyRead> {
  await budgetOf(context) // also covers the test of the connection
  await proveConnection(context, connection)
  const { id } = connection.item
  return context.once(`cloud-d tenancy ${id} ${connection.rev}`, async () =>
    cloudD.tenancy(await entryOf(context, connection)),
  )
}

/** @throws Refusal NOT_FOUND, NAME_TAKEN, RULE_BROKEN, CLOUD_… */
export async function addTenancy(context: Context, body: z.output<typeof AddTenancy>): Promise<Stored<CloudDTenancy>> {
  const { connection: named, tenancy = '', tenancy_id = '' } = body
  if (named === undefined) return stageNew(tenancies, context, newTenancy(context, undefined, { tenancy, tenancy_id }))
  const connection = await connectionNamed(context, named)
  return stageNew(tenancies, context, newTenancy(context, connection, await tenancyOf(context, connection)))
}

const newTenancy = (
  context: Context,
  connection: OwnConnection | undefined,
  read: CloudDTenancyRead,
): CloudDTenancy => ({
  ...newCommonFields(tenancies, context),
  ...read,
  connection: connection?.item.name ?? '',
  cloud_name: NAME,
})

/**
 * A tenancy by id, by name or by the cloud's id, which is not removed at the same time.
 * @throws Refusal NOT_FOUND, NAME_TAKEN when several have the name
 */
export async function tenancyNamed({ caller, changes }: Context, reference: string): Promise<CloudDTenancy> {
  const domain = caller.domain.id
  const known =
    (await cloudDTenancies.get(domain, reference)) ?? (await cloudDTenancies.find(domain, 'tenancy', reference))
  const named = known ? [known] : await calledTenancies(domain, reference)
  const [stored, another] = named
  const errors = (detail: string) => ({ errors: [{ pointer: '#/tenancy', detail }] })
  if (stored === undefined)
    throw new Refusal('NOT_FOUND', 'There is no such tenancy.', errors('is no tenancy of this domain'))
  if (another !== undefined)
    throw new Refusal('NAME_TAKEN', `Several tenancies are named ${reference}.`, errors('names several'))
  changes.update(cloudDTenancies, domain, stored, stored.item)
  return stored.item
}

const calledTenancies = async (domain: string, name: string): Promise<Stored<CloudDTenancy>[]> =>
  cloudDTenancies.getMany(domain, await cloudDTenancies.members(domain, tenanciesCalled(name)))

/** The tenancy to which vaults are added: stages its record, or that it is not removed at the same time. */
export async function tenancyFor(context: Context, connection: OwnConnection): Promise<CloudDTenancy> {
  const { caller, changes } = context
  const domain = caller.domain.id
  const read = await tenancyOf(context, connection)
  const stored = await cloudDTenancies.find(domain, 'tenancy', read.tenancy_id)
  if (stored !== undefined) {
    changes.update(cloudDTenancies, domain, stored, stored.item)
    return stored.item
  }
  const tenancy = newTenancy(context, connection, read)
  context.uses('AddCloudDTenancy', tenancy)
  const taken = () => new Refusal('STATE_CONFLICT', `The tenancy ${read.tenancy} is just being added; try again.`)
  changes.create(cloudDTenancies, domain, tenancy, taken)
  return tenancy
}
