import type * as z from 'zod'
import { Refusal } from '../../../base/errors.ts'
import { patched, picked, without } from '../../../base/fields.ts'
import { resourceUri, ROOT_DOMAIN_ID } from '../../../base/ids.ts'
import type { Context } from '../../../http/context.ts'
import type { Route } from '../../../http/operation.ts'
import { changeRecord } from '../../../resource/records.ts'
import { resource } from '../../../resource/resource.ts'
import type { Stored } from '../../../store/entity.ts'
import { countOf } from '../../../store/list.ts'
import { ownPolicy } from '../policy.ts'
import type { EkmPolicy } from '../policy-model.ts'
import { hashOfPolicy } from '../policy-text.ts'
import { ekmEndpoints } from '../store.ts'
import { CreateCryptoSpace, CryptoSpace, CryptoSpaceQuery, UpdateCryptoSpace } from './model.ts'
import { inSpace } from './record.ts'
import { cryptoSpaces, spaceOwners, type StoredCryptoSpace } from './store.ts'

const AT = '/v1/keymgr/ekm/cryptospaces'
const may = 'keymgr-admins'

const shown = (space: StoredCryptoSpace, endpointCount: number): CryptoSpace => ({
  ...without(space, 'dialect'),
  path: `/api${AT}/${space.id}`,
  endpoint_count: endpointCount,
})

/** The policy, compiled once to check it. Endpoints in a space are of the type ekm. @throws Refusal RULE_BROKEN */
async function withPolicy(space: StoredCryptoSpace, policy: EkmPolicy | undefined): Promise<StoredCryptoSpace> {
  const bare = without(space, 'policy', 'dialect')
  if (policy === undefined) return bare
  const own = await ownPolicy(policy.rego !== undefined, policy, 'ekm', '#/policy')
  return { ...bare, ...without(own, 'raw_policy_enabled') }
}

/** @throws Refusal IN_USE while it has endpoints */
async function release({ caller, changes }: Context, { id, name }: StoredCryptoSpace): Promise<void> {
  const count = await changes.relyOnCount(ekmEndpoints, caller.domain.id, inSpace(id))
  if (count > 0)
    throw new Refusal('IN_USE', `The crypto space ${name} has ${count} endpoints: destroy or delete them first.`)
  const owner = await spaceOwners.get(ROOT_DOMAIN_ID, id)
  if (owner !== undefined) changes.remove(spaceOwners, ROOT_DOMAIN_ID, owner)
}

/** Spaces in which the cloud makes and destroys keys by itself. */
const spaces = resource({
  entity: cryptoSpaces,
  noun: 'crypto space',
  title: 'EKM Crypto Space',
  at: AT,
  reads: may,
  changes: may,
  answers: CryptoSpace,
  query: CryptoSpaceQuery,
  createBody: CreateCryptoSpace,
  updateBody: UpdateCryptoSpace,
  uri: (domain, id) => resourceUri(domain, 'keymgr', 'ekm-cryptospace', id),
  audited: ({ policy, dialect, ...space }) => ({
    ...picked(space, 'name', 'keyURIHostname', 'blocked', 'enable_success_audit_event'),
    ...(policy && { policy: { hash: hashOfPolicy({ policy, dialect }) } }),
  }),
  make: ({ caller, changes }, { policy, ...body }, common) => {
    changes.create(spaceOwners, ROOT_DOMAIN_ID, { id: common.id, domain: caller.domain.id })
    return withPolicy({ ...common, ...body, blocked: false }, policy)
  },
  next: (_context, space, { policy, ...body }) => {
    const changed = patched(space, body)
    return policy === undefined ? changed : withPolicy(changed, policy ?? undefined)
  },
  release,
  presentAll: (records, { caller }) =>
    Promise.all(
      records.map(async (space) => shown(space, await countOf(ekmEndpoints, caller.domain.id, inSpace(space.id)))),
    ),
})

/** @throws Refusal NOT_FOUND, VERSION_STALE, STATE_CONFLICT when it is in that state already */
const setBlocked = (context: Context, id: string, blocked: boolean): Promise<Stored<z.input<typeof CryptoSpace>>> =>
  changeRecord(spaces, context, id, (space) => {
    if (space.blocked !== blocked) return { ...space, blocked }
    throw new Refusal('STATE_CONFLICT', `The crypto space ${space.name} is ${blocked ? '' : 'not '}blocked already.`)
  })

export const spaceRoutes: readonly Route[] = [
  ...spaces.routes,
  // Within five seconds every instance refuses the cloud.
  spaces.on.act('block', 'Block EKM Crypto Space', (context, id) => setBlocked(context, id, true)),
  spaces.on.act('unblock', 'Unblock EKM Crypto Space', (context, id) => setBlocked(context, id, false)),
]
