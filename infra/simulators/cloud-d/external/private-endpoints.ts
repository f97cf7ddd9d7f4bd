import { SEEDED_AT } from '../directory/directory.ts'
import { iso } from '../vaults/describe.ts'
import type { Call, Route } from '../wire/call.ts'
import type { Reply } from '../wire/reply.ts'
import { notFound } from '../wire/errors.ts'
import { listed, requiredQuery } from '../wire/pages.ts'
import { vaultRead } from '../wire/route.ts'

const describe = ({ caller }: Call, id: string): object => ({
  id,
  compartmentId: caller.tenancy.id,
  displayName: 'key manager',
  lifecycleState: 'ACTIVE',
  externalKeyManagerIp: '127.0.0.1',
  timeCreated: iso(SEEDED_AT),
  freeformTags: {},
  definedTags: {},
})

/** Private endpoints in the region of the call, which their ids contain. */
const ids = ({ caller, region }: Call): readonly string[] =>
  caller.tenancy.privateEndpoints.filter((id) => id.split('.')[3] === region)

/** All of them are in the root compartment. */
function list(call: Call): Reply {
  const compartmentId = requiredQuery(call, 'compartmentId')
  call.require('inspect', compartmentId)
  const found = compartmentId === call.caller.tenancy.id ? ids(call) : []
  const items = found.map((id) => ({ item: id, by: id }))
  return listed(call, items, (id) => describe(call, id))
}

function get(call: Call): Reply {
  const id = call.param('ekmsPrivateEndpointId')
  call.require('read', call.caller.tenancy.id)
  if (!ids(call).includes(id)) throw notFound()
  return { body: describe(call, id) }
}

/** Ours: private endpoints are part of the initial state; they cannot be created or deleted. */
export const privateEndpointRoutes: readonly Route[] = [
  vaultRead('ListEkmsPrivateEndpoints', '/ekmsPrivateEndpoints', list),
  vaultRead('GetEkmsPrivateEndpoint', '/ekmsPrivateEndpoints/{ekmsPrivateEndpointId}', get),
]
